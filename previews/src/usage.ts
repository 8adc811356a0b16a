import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
const TICK_MILLISECONDS = 10

/** Memory and times of processes. Exited processes count as 0. */
export interface Usage {
  /** Resident memory. */
  bytes: number
  /** Processor time. Includes exited children. */
  milliseconds: number
  /** Time that the main threads waited for a processor; 0 if the kernel does not report it. */
  waitingMilliseconds: number
}

export const usageOf = (pids: readonly number[]): Usage => sumOf(pids.map(statOf))

export const usageOfGroup = (group: number): Usage =>
  sumOf(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => statOf(Number(name)))
      .filter((stat) => stat?.group === group),
  )

function sumOf(stats: readonly (Stat | null)[]): Usage {
  const sum = { bytes: 0, milliseconds: 0, waitingMilliseconds: 0 }
  for (const stat of stats) {
    sum.bytes += stat?.bytes ?? 0
    sum.milliseconds += stat?.milliseconds ?? 0
    sum.waitingMilliseconds += stat ? waitingOf(stat.pid) : 0
  }
  return sum
}

interface Stat {
  pid: number
  group: number
  bytes: number
  milliseconds: number
}

/** Reads `/proc/PID/stat` (proc_pid_stat(5)). Parses the fields after the name, which can contain any character. */
function statOf(pid: number): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    return {
      pid,
      group: Number(fields[2]),
      bytes: Number(fields[21]) * PAGE_BYTES,
      milliseconds: ticks * TICK_MILLISECONDS,
    }
  } catch {
    return null
  }
}

/** Reads the run delay, the second field of `/proc/PID/schedstat`, in nanoseconds (Documentation/scheduler/sched-stats.rst of Linux). */
function waitingOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
