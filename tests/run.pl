#!/usr/bin/perl
# run.pl: runs the test programs named in a list under TAP::Harness. Those that fail run once more, alone, when all others have ended;
# what passes then is unsteady, and the run passes. It closes with the ten that used most CPU time and the sum of all, the programs
# that were skipped, and why, what the first failed tests say, the programs that were stopped, those that failed twice and those that
# are unsteady, each with the first check that failed, and with 'N passed, N failed, N skipped', where the second run of a program counts
# instead of the first. What it closes with, from the first failed test, stays in a file .closing beside the list.
# SECONDS_BUDGET in the environment is what the sum may be; it is printed, not enforced, and so are BUILD_SECONDS, what the build took,
# of 240. The seconds of each program, passed and of CPU, stay in a file .times beside the list; in a later run the longest begin first.
# On a terminal a line counts them.
# Each line of the list: CPU seconds allowed, then the command. Lines may run side by side (JOBS in the environment). A command whose
# processes use no CPU time for IDLE_ALLOWED seconds, or 60, is stopped too (see watch.pl).
# SPDX-License-Identifier: BSD-2-Clause
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Temp;
use TAP::Harness;

$ENV{OMPI_ALLOW_RUN_AS_ROOT} = $ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} = 1;
$ENV{OMPI_MCA_rmaps_base_oversubscribe} = $ENV{OMPI_MCA_mpi_yield_when_idle} = 1;
$ENV{PRTE_MCA_rmaps_default_mapping_policy} = ':oversubscribe';   # Open MPI 5
$ENV{OMPI_MCA_osc} = '^monitoring,pt2pt,rdma,ucx';   # where there is no fast network, Open MPI 5 says of ucx so on stderr
$ENV{OMPI_MCA_btl} = '^ofi,openib,tcp,uct,usnic';   # without tcp alone, ofi would look for networks for more than a second
# No rank is bound to a core here, and hwloc takes a sixth of the time of two ranks that start and end to look for
# cores and devices; another sixth goes into parts of Open MPI that are loaded and not used, and into shared memory that is made
# and not filled. Open MPI 5 is left alone.
if (`mpirun --version 2>/dev/null` =~ /Open MPI\) 4\./) {
  my %spared = (
    HWLOC_COMPONENTS                => 'no_os,stop',
    OMPI_MCA_btl_vader_segment_size => 1 << 20,
    OMPI_MCA_memory                 => '^patcher',
    OMPI_MCA_mpool                  => '^hugepage',
    OMPI_MCA_op                     => '^avx',
    OMPI_MCA_rcache                 => '^grdma',
    OMPI_MCA_reachable              => '^netlink',
    OMPI_MCA_shmem                  => '^posix,sysv',
  );
  $ENV{$_} //= $spared{$_} for keys %spared;
}
# Memory in pages of 2 MiB: where a page fault is dear, as on some virtual machines, faults of 4 KiB take a tenth of a short run.
$ENV{GLIBC_TUNABLES} //= 'glibc.malloc.hugetlb=1';
$ENV{PYTHONMALLOC} //= 'malloc';
$ENV{OPENBLAS_NUM_THREADS} = $ENV{OMP_NUM_THREADS} = 1;

$SIG{INT} = 'DEFAULT';   # a shell without job control has its background commands ignore it, and tests send it
my $idle = $ENV{IDLE_ALLOWED} || 60;
my $log = File::Temp->new;
my (@tests, %command);
open my $list, '<', $ARGV[0] or die "$ARGV[0]: $!";
while (<$list>) {
  next if /^\s*(#|$)/;
  my ($seconds, $line) = /^\s*(\d+)\s+(.*?)\s*$/ or die "$ARGV[0]:$.: no 'SECONDS COMMAND'";
  push @tests, $line;
  $command{$line} = [$^X, dirname($0) . '/watch.pl', $seconds, $idle, "$log", $line];
}
my (%took, %used);
if (open my $file, '<', "$ARGV[0].times") {
  /^([\d.]+) ([\d.]+) (.*)$/ and ($took{$3}, $used{$3}) = ($1, $2) while <$file>;
}
@tests = sort { ($took{$b} // 0) <=> ($took{$a} // 0) } @tests;   # stable, for those that are unknown

# Runs tests side by side; returns their parsers by test, and the lines of failed checks, each with its remarks, which are
# also put at the end of @$wrong.
sub run_tests {
  my ($jobs, $wrong, @tests) = @_;
  my (%first, %parser);
  my $ended = 0;
  my $harness = TAP::Harness->new({
    formatter_class => 'TAP::Formatter::File',   # no line of its own on a terminal
    exec      => sub { my ($h, $test) = @_; return $command{$test} },
    verbosity => $ENV{VERBOSE} ? 1 : 0,
    jobs      => $jobs,
    failures  => 1,
    timer     => 1,
    color     => 0,
  });
  $harness->callback(made_parser => sub {
    my ($parser, $job) = @_;
    my $remarks = 0;
    $parser->callback(ALL => sub {
      my $line = shift;
      if ($line->is_test) {
        $remarks = $line->is_ok ? 0 : 6;
        push @$wrong, "$job->[1]: " . $line->raw if $remarks;
        $first{ $job->[1] } //= $line->raw if $remarks;
      } elsif ($line->is_comment && $remarks-- > 0) {
        push @$wrong, '  ' . $line->raw;
      }
    });
  });
  $harness->callback(after_test => sub { printf STDERR "test %d of %d\r", ++$ended, scalar @tests }) if -t STDERR;
  my $result = $harness->runtests(@tests);
  print STDERR "\r\e[K" if -t STDERR;
  ($parser{$_}) = $result->parsers($_) for @tests;
  return (\%parser, \%first);
}

sub broken { my $p = shift; return ($p->wait || $p->parse_errors) && !$p->failed }   # it ended early or crashed

sub fails { my $p = shift; return $p->failed || broken($p) }

# The first check that failed, or how the program ended otherwise.
sub mistake {
  my ($parser, $check) = @_;
  return $check if defined $check;
  return sprintf 'it ended by signal %d', $parser->wait & 127 if $parser->wait & 127;
  return sprintf 'it ended with status %d and no failed check', $parser->exit if $parser->wait;
  return join '; ', $parser->parse_errors;
}

my @wrong;
my ($parsers, $first) = run_tests($ENV{JOBS} || 1, \@wrong, @tests);
my @again = grep { fails($parsers->{$_}) } @tests;
my (@failed, @unsteady);
if (@again) {
  print "once more, alone:\n";
  my ($second, $then) = run_tests(1, \@wrong, @again);
  for my $test (@again) {
    my $fails = fails($second->{$test});
    my $mistake = $fails ? mistake($second->{$test}, $then->{$test}) : mistake($parsers->{$test}, $first->{$test});
    push @{ $fails ? \@failed : \@unsteady }, "$test: $mistake";
    $parsers->{$test} = $second->{$test};
  }
}
my @ended = sort { $b->{cpu} <=> $a->{cpu} } map { chomp; my %x; @x{qw(cpu seconds why test)} = split /\t/; \%x } <$log>;
print "most CPU time, of the time that passed:\n" if @ended;
printf "%8.1f s of %6.1f s  %s\n", @{$_}{qw(cpu seconds test)} for @ended[0 .. ($#ended < 9 ? $#ended : 9)];
my $sum = 0;
$sum += $_->{cpu} for @ended;
($took{ $_->{test} }, $used{ $_->{test} }) = @{$_}{qw(seconds cpu)} for @ended;
if (open my $file, '>', "$ARGV[0].times") {
  printf $file "%.1f %.1f %s\n", $took{$_}, $used{$_}, $_ for sort { $took{$b} <=> $took{$a} } keys %took;
}
printf "%.0f CPU seconds in all%s\n", $sum, $ENV{SECONDS_BUDGET} ? ", of the $ENV{SECONDS_BUDGET} that all tests may take" : '';
print "$ENV{BUILD_SECONDS} CPU seconds in the last build, of the 240 that one from nothing may take\n" if $ENV{BUILD_SECONDS};
my ($passed, $wrongs, $skipped) = (0, 0, 0);
for my $parser (map { $parsers->{$_} } @tests) {
  $passed += $parser->passed;
  $wrongs += $parser->failed + (broken($parser) ? 1 : 0);
  $skipped += $parser->skipped + ($parser->skip_all ? 1 : 0);
}
printf "skipped: %s: %s\n", $_, $parsers->{$_}->skip_all for grep { $parsers->{$_}->skip_all } @tests;
my @closing = @wrong[0 .. ($#wrong < 39 ? $#wrong : 39)];
push @closing, map { "stopped: $_->{test}: $_->{why}" } grep { $_->{why} } @ended;
push @closing, map({ "failed: $_" } @failed), map({ "unsteady: $_" } @unsteady);
push @closing, "$passed passed, $wrongs failed, $skipped skipped";
print "$_\n" for @closing;
if (open my $file, '>', "$ARGV[0].closing") {
  print $file "$_\n" for @closing;
}
exit($wrongs ? 1 : 0);
