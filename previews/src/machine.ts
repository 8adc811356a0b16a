import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { RendererConfig } from './config.ts'

/** Most lanes of each sort that a renderer takes by itself. */
const MOST_LANES = 4

/** The numbers of the processors that this process may use. */
export function processors(): number[] {
  const status = readFileSync('/proc/self/status', 'latin1')
  return numbersIn(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)![1]!)
}

/** The numbers in a list of the kernel, such as `0-3,8`. */
export const numbersIn = (list: string): number[] =>
  list.split(',').flatMap((part) => {
    const [first, last = first] = part.split('-').map(Number)
    return Array.from({ length: last! - first! + 1 }, (_, n) => first! + n)
  })

/** The processors of one painter among several: none shares one with another, as long as there is one for each. */
export const shareOf = (all: readonly number[], painter: number, painters: number): number[] =>
  all.filter((_, at) => at % painters === painter % all.length)

/** Memory that a renderer may count on, in bytes: all that its group of processes may take, at most half of the machine's. */
export const memoryForRenderer = () =>
  Math.min(process.constrainedMemory() || Number.MAX_VALUE, totalmem() / 2)

/** The lanes of each sort that fit a machine: one for each processor, and memory for the longest work of all at once; one at least. */
export function lanesThatFit(
  { cores, bytes }: { cores: number; bytes: number },
  {
    previewBrowserMegabytes: browser,
    previewPictureMegabytes: picture,
    previewCardMegabytes: card,
  }: Pick<RendererConfig, 'previewBrowserMegabytes' | 'previewPictureMegabytes' | 'previewCardMegabytes'>,
): number {
  // A lane that paints has a decoder for its paintings; beside it is one of pictures and texts, which has a decoder alone.
  const byMemory = Math.floor((bytes / 2 ** 20 - card) / (browser + 2 * picture))
  return Math.max(1, Math.min(MOST_LANES, cores, byMemory))
}
