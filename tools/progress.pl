#!/usr/bin/perl
# progress.pl: runs a `make` that compiles, and says on a terminal how far it is: '214 of 512 built, about 40 s left'.
#
#   progress.pl FOLDER COMMAND...
#
# Counts the object files below FOLDER that are newer than the start; COMMAND with -n tells how many there will be. The
# terminal is file 9 where that is one (`make demo` sends the rest into a log), else stderr; without a terminal it says nothing.
# SPDX-License-Identifier: BSD-2-Clause
use strict;
use warnings;
use File::Basename qw(dirname);
use File::Find;
use Time::HiRes qw(time sleep);
use POSIX qw(WNOHANG);

my ($folder, @command) = @ARGV;
my $terminal;
(open($terminal, '>&=', 9) && -t $terminal) || (-t STDERR && open $terminal, '>&', \*STDERR) || exec @command;
$terminal->autoflush(1);
my $start = time;
my $generated = dirname($folder) . '/generated';   # -n takes what depends on it for changed
open my $plan, '-|', @command, '-n', -e $generated ? ('-o', $generated) : () or exec @command;
my $all = grep { / -c \S+\.c / } <$plan>;
close $plan;
my $pid = fork // die "fork: $!";
if (!$pid) {
  exec @command or die "$command[0]: $!";
}
until (waitpid $pid, WNOHANG) {
  sleep 1;
  my $n = 0;
  find(sub { $n++ if /\.o$/ && ((stat)[9] // 0) >= int $start }, $folder) if -d $folder;
  next if !$all || $n > $all;
  my $left = $n > 9 ? sprintf ', about %.0f s left', (time - $start) / $n * ($all - $n) : '';
  printf $terminal "\r\e[K%d of %d built%s", $n, $all, $left;
}
print $terminal "\r\e[K" if $all;
exit($? & 127 ? 128 + ($? & 127) : $? >> 8);
