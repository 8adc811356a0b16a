import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Reads the fields of /proc/PID/stat after the name. Returns null if the process has exited. */
function statOf(pid: string | number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** Returns the CPU time of a process and its descendants, including exited ones, in seconds. */
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

/** Returns the CPU time of a process's exited children, in seconds. */
export function endedSecondsOf(pid: number): number {
  const stat = statOf(pid)!
  return (Number(stat[13]) + Number(stat[14])) / 100
}

/** Returns the peak memory of a process since the last call, in MB. */
export function peakMegabytesOf(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return Math.round(Number(kilobytes) / 1000)
}

/** Returns the id of the PostgreSQL process of a data folder. */
export function postmasterOf(directory: string): number {
  return Number(readFileSync(`${directory}/postmaster.pid`, 'utf8').split('\n', 1)[0])
}
