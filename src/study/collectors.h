/* collectors.h: all collectors (collector.h). */
/* SPDX-License-Identifier: BSD-2-Clause */
COLLECTOR(later)
COLLECTOR(errors)
COLLECTOR(windows)
COLLECTOR(figures)
COLLECTOR(averages)
COLLECTOR(histograms)
COLLECTOR(extremes)
COLLECTOR(events)
COLLECTOR(series)
COLLECTOR(states)
