#!/usr/bin/perl
# watch.pl: runs one test program and stops it when it has used too much CPU time, or none at all.
#
#   watch.pl SECONDS IDLE LOG COMMAND
#
# SECONDS limits the CPU time of the command and of all processes that it starts; time of waiting is not limited, because a loaded
# machine makes a healthy program wait. IDLE: a command whose processes together use less than 1 % of one core for so many seconds
# hangs. A command that is stopped ends its output with a failed check that names its last one. What a command that fails leaves running is
# ended with it, so that it can be run again. LOG gets one line: CPU seconds,
# seconds, the reason of a stop or nothing, the command, separated by tabs.
# SPDX-License-Identifier: BSD-2-Clause
use strict;
use warnings;
use IO::Select;
use POSIX qw(WNOHANG sysconf _SC_CLK_TCK);
use Time::HiRes qw(time sleep);

use constant { SUBREAPER => 36, GRACE => 5, BUSY => 0.01 };
my ($seconds, $idle, $log, $command) = @ARGV;
my $ticks = sysconf(_SC_CLK_TCK);
$| = 1;

# A process whose parent ended becomes a child of this one, so that it is counted and stopped like the others.
# The number of prctl; syscall.ph, which has it for any machine, takes as long to load as all else here.
my $prctl = { x86_64 => 157, aarch64 => 167 }->{ (POSIX::uname())[4] } // eval { require 'syscall.ph'; SYS_prctl() };
syscall($prctl, SUBREAPER, 1, 0, 0, 0) if $prctl;

# The numbers of the processes below this one, and the clock ticks that they and their ended children have used.
sub below {
  my (%children, %used);
  for my $file (glob '/proc/[0-9]*/stat') {
    open my $stat, '<', $file or next;
    my $line = <$stat> // next;
    my ($pid) = $line =~ /^(\d+)/;
    my @field = split ' ', $line =~ s/^.*\) //sr;
    push @{ $children{ $field[1] } }, $pid;
    $used{$pid} = $field[11] + $field[12] + $field[13] + $field[14];
  }
  my ($sum, @found) = (0, @{ $children{$$} // [] });
  for (my $i = 0; $i < @found; $i++) {
    $sum += $used{ $found[$i] };
    push @found, @{ $children{ $found[$i] } // [] };
  }
  return ($sum, @found);
}

# CPU seconds of everything below this process, ended or not.
sub used {
  my ($sum) = below();
  my (undef, undef, $user, $system) = times;
  return $sum / $ticks + $user + $system;
}

sub reap {
  my ($main, $status) = @_;
  while ((my $pid = waitpid -1, WNOHANG) > 0) {
    $$status = $? if $pid == $main;
  }
}

sub stop_all {
  my ($main, $status) = @_;
  for my $signal (qw(TERM KILL)) {
    my $until = time + GRACE;
    my (undef, @found) = below();
    return if !@found;
    kill $signal, @found;
    while (time < $until && (below())[1]) {
      reap($main, $status);
      sleep 0.05;
    }
  }
}

pipe my $out, my $in or die "pipe: $!";
my $main = fork // die "fork: $!";
if (!$main) {
  close $out;
  open STDOUT, '>&', $in or die "stdout: $!";
  # a program in C that runs alone: Open MPI would start a server beside it
  $ENV{OMPI_MCA_ess_singleton_isolated} = 1 if $command !~ /\s|\.sh$/;
  exec 'bash', '-c', $command or die "bash: $!";
}
close $in;

my ($began, $cpu, $checks, $last, $rest, $status, $why) = (time, 0, 0, 'none', '', undef, '');
my ($since, $then, $looked) = ($began, 0, $began);
my $select = IO::Select->new($out);
my $open = 1;
while ($open || !defined $status) {
  if (!$open) {
    sleep 0.05;
  }
  elsif ($select->can_read(0.5)) {
    $open = sysread $out, my $bytes, 65536;
    print $bytes;
    $rest .= $bytes;
    while ($rest =~ s/^(.*)\n//) {
      my $line = $1;
      next if $line !~ /^(not )?ok\b/;
      $checks++;
      $last = $line;
    }
  }
  reap($main, \$status);
  next if time < $looked + $idle / 12;   # a look takes some hundredths of a second of CPU time
  $looked = time;
  my $now = used();
  $cpu = $now if $now > $cpu;
  ($since, $then) = ($looked, $cpu) if $cpu - $then > BUSY * $idle;
  $why = sprintf 'its processes used more than %d s of CPU time', $seconds if $cpu > $seconds;
  $why = sprintf 'its processes used no CPU time for %d s', $idle if !$why && $looked - $since > $idle;
  last if $why;
}
if ($why) {
  stop_all($main, \$status);
  print "\n" if length $rest;
  printf "not ok %d - %s: stopped, %s; last check: %s\n", $checks + 1, $command, $why, $last;
  print STDERR "$command: stopped, $why; last check: $last\n";
}
elsif ($status) {
  stop_all($main, \$status);
}
my (undef, undef, $user, $system) = times;
$cpu = $user + $system if $user + $system > $cpu;
if (open my $file, '>>', $log) {
  syswrite $file, sprintf "%.2f\t%.2f\t%s\t%s\n", $cpu, time - $began, $why && "$why; last check: $last", $command;
}
exit 124 if $why;
kill $status & 127, $$ if $status & 127;
exit $status >> 8;
