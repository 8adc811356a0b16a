import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096
const TICK_MILLISECONDS = 10

/** Memory and processor time of processes; one that is gone has none. */
export interface Usage {
  /** Memory that they hold. */
  bytes: number
  /** Processor time of the processes and their ended children. */
  milliseconds: number
}

/** The usage of processes. */
export const usageOf = (pids: readonly number[]): Usage => sumOf(pids.map(statOf))

/** The usage of the processes of a group. */
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

/** A process by `/proc/PID/stat` (proc_pid_stat(5)): its fields stand behind the name in parentheses, which may hold anything. */
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
