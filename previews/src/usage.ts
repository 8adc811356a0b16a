import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
const TICK_MILLISECONDS = 10

/** Memory and processor time of processes. Exited processes count as 0. */
export interface Usage {
  /** Resident memory. */
  bytes: number
  /** Includes exited children. */
  milliseconds: number
}

export const usageOf = (pids: readonly number[]): Usage => sumOf(pids.map(statOf))

export const usageOfGroup = (group: number): Usage =>
  sumOf(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => statOf(Number(name)))
      .filter((stat) => stat?.group === group),
  )

function sumOf(stats: readonly (Usage | null)[]): Usage {
  const sum = { bytes: 0, milliseconds: 0 }
  for (const stat of stats) {
    sum.bytes += stat?.bytes ?? 0
    sum.milliseconds += stat?.milliseconds ?? 0
  }
  return sum
}

/** Reads `/proc/PID/stat` (proc_pid_stat(5)). Parses the fields after the name, which can contain any character. */
function statOf(pid: number): (Usage & { group: number }) | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
    return {
      group: Number(fields[2]),
      bytes: Number(fields[21]) * PAGE_BYTES,
      milliseconds: ticks * TICK_MILLISECONDS,
    }
  } catch {
    return null
  }
}
