import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { ROOT } from '../run.ts'

/** Reads the fields of /proc/PID/stat after the name. Returns null if the process has exited. */
function statOf(pid: string | number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** Returns the stat fields of a process and its descendants by pid. */
function familyOf(pid: number): Map<number, string[]> {
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
  return new Map([...stats].filter(([each]) => isFamily(each)))
}

/** Returns the CPU time of a process and its exited children, in seconds. */
const secondsIn = (stat: readonly string[]) =>
  [11, 12, 13, 14].reduce((ticks, field) => ticks + Number(stat[field]), 0) / 100

/** Returns the CPU time of a process and its descendants, including exited ones, in seconds. */
export function cpuSecondsOf(pid: number): number {
  return familyOf(pid)
    .values()
    .reduce((sum, stat) => sum + secondsIn(stat), 0)
}

export interface Usage {
  processes: number
  cpuSeconds: number
  /** Proportional set size: private memory, and a share of shared memory. */
  megabytes: number
}

/** Returns the usage of a process's descendants by program. An exited process counts for its parent. */
export function usageByProgram(pid: number): Map<string, Usage> {
  const usages = new Map<string, Usage>()
  for (const [each, stat] of familyOf(pid)) {
    const [name, rollup] = each === pid ? [] : [programOf(each), textOf(each, 'smaps_rollup')]
    if (!name || !rollup) continue
    const usage = usages.get(name) ?? { processes: 0, cpuSeconds: 0, megabytes: 0 }
    usages.set(name, usage)
    usage.processes += 1
    usage.cpuSeconds += secondsIn(stat)
    usage.megabytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)![1]) / 1000
  }
  return usages
}

/** Returns the script that a process runs, otherwise its executable; empty if the process has exited. */
function programOf(pid: number): string {
  const words = textOf(pid, 'cmdline').split(/[\0 ]/)
  const script = words.find((word) => /\.[jt]s$/.test(word))
  return script ? relative(ROOT, script) : basename(words[0]!).replace(/:$/, '')
}

/** Returns a file of /proc/PID; empty if the process has exited. */
function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
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
