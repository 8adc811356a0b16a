import { readdirSync, readFileSync } from 'node:fs'

const PAGE_BYTES = 4096

/** Memory that processes hold, in bytes; those that are gone hold none. */
export function residentBytes(pids: readonly number[]): number {
  let pages = 0
  for (const pid of pids) pages += Number(readProc(pid, 'statm')?.split(' ')[1] ?? 0)
  return pages * PAGE_BYTES
}

/** The processes of a group. */
export function processesOf(group: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => groupOf(pid) === group)
}

/** The process group in `/proc/PID/stat`, behind the name in parentheses, which may hold anything. */
function groupOf(pid: number): number | null {
  const stat = readProc(pid, 'stat')
  return stat ? Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) : null
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return null
  }
}
