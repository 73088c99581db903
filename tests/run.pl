#!/usr/bin/perl
# run.pl: runs the test programs named in a list under TAP::Harness and closes with the programs that were skipped, and why, and with
# 'N passed, N failed, N skipped'.
# Each line of the list: seconds allowed, then the command. Lines may run side by side (JOBS in the environment).
# SPDX-License-Identifier: BSD-2-Clause
use strict;
use warnings;
use TAP::Harness;

$ENV{OMPI_ALLOW_RUN_AS_ROOT} = $ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} = 1;
$ENV{OMPI_MCA_rmaps_base_oversubscribe} = $ENV{OMPI_MCA_mpi_yield_when_idle} = 1;
$ENV{OPENBLAS_NUM_THREADS} = $ENV{OMP_NUM_THREADS} = 1;

my (@tests, %command);
open my $list, '<', $ARGV[0] or die "$ARGV[0]: $!";
while (<$list>) {
  next if /^\s*(#|$)/;
  my ($seconds, $line) = /^\s*(\d+)\s+(.*?)\s*$/ or die "$ARGV[0]:$.: no 'SECONDS COMMAND'";
  push @tests, $line;
  $command{$line} = ['timeout', '-k', '5', $seconds, 'bash', '-c', $line];
}
my $harness = TAP::Harness->new({
  exec      => sub { my ($h, $test) = @_; return $command{$test} },
  verbosity => $ENV{VERBOSE} ? 1 : 0,
  jobs      => $ENV{JOBS} || 1,
  timer     => 1,
  color     => 0,
});
my $result = $harness->runtests(@tests);
my ($broken, $absent) = (0, 0);
for my $test (@tests) {
  my ($parser) = $result->parsers($test);
  $broken++ if ($parser->exit || $parser->parse_errors) && !$parser->failed;   # ended early, crashed or timed out
  next unless $parser->skip_all;
  $absent++;
  printf "skipped: %s: %s\n", $test, $parser->skip_all;
}
printf "%d passed, %d failed, %d skipped\n", scalar $result->passed, $result->failed + $broken, $result->skipped + $absent;
exit($result->failed + $broken ? 1 : 0);
