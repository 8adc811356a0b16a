import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { RendererConfig } from './config.ts'

const MAX_LANES = 4

export function processors(): number[] {
  const status = readFileSync('/proc/self/status', 'latin1')
  return numbersIn(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)![1]!)
}

/** Parses a processor list of the kernel, such as `0-3,8`. */
export const numbersIn = (list: string): number[] =>
  list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, n) => first! + n)
  })

/** Returns the processors of one painter. They are shared only if there are more painters than processors. */
export const shareOf = (all: readonly number[], painter: number, painters: number): number[] =>
  all.filter((_, at) => at % painters === painter % all.length)

/** Returns the memory for a renderer in bytes: its cgroup limit, at most half of the machine's memory. */
export const memoryForRenderer = () =>
  Math.min(process.constrainedMemory() || Number.MAX_VALUE, totalmem() / 2)

/** Returns the number of workers per kind: one per processor, limited by memory, at least one. */
export function workerCount(
  { cores, bytes }: { cores: number; bytes: number },
  {
    previewBrowserMegabytes: browser,
    previewPictureMegabytes: picture,
    previewCardMegabytes: card,
  }: Pick<RendererConfig, 'previewBrowserMegabytes' | 'previewPictureMegabytes' | 'previewCardMegabytes'>,
): number {
  // A browser worker also has a decoder for its results. Other workers have only a decoder.
  const byMemory = Math.floor((bytes / 2 ** 20 - card) / (browser + 2 * picture))
  return Math.max(1, Math.min(MAX_LANES, cores, byMemory))
}
