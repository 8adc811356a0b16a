import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Processor time and memory of the processes of a bench, by Linux's /proc. */

/** Fields of /proc/PID/stat behind the name; null where the process has ended. */
function statOf(pid: string | number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** User and system time of a process and of those that it started, in seconds; those that have ended count too. */
export function cpuSecondsOf(pid: number): number {
  const stats = new Map(
    readdirSync('/proc').flatMap((name) => {
      const stat = /^\d+$/.test(name) ? statOf(name) : null
      return stat ? [[Number(name), stat] as const] : []
    }),
  )
  const isFamily = (of: number): boolean => {
    const stat = stats.get(of)
    return of === pid || (stat !== undefined && isFamily(Number(stat[1])))
  }
  let ticks = 0
  for (const [each, stat] of stats)
    if (isFamily(each)) for (const field of [11, 12, 13, 14]) ticks += Number(stat[field])
  return ticks / 100
}

/** User and system time of the processes that a process started and that have ended, in seconds. */
export function endedSecondsOf(pid: number): number {
  const stat = statOf(pid)!
  return (Number(stat[13]) + Number(stat[14])) / 100
}

/** The most memory that a process has held since this was asked last, in MB. */
export function peakMegabytesOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return Math.round(Number(kilobytes) / 1000)
}

/** The process of the PostgreSQL in a folder. */
export function postmasterOf(directory: string): number {
  return Number(readFileSync(`${directory}/postmaster.pid`, 'utf8').split('\n', 1)[0])
}
