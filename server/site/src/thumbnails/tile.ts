import { inMarkup } from '@ordbook/http/documents/markup.ts'
import { essenceOf, type Kind, kindOf } from './kinds.ts'
import type { FoundThumbnail } from './queries.ts'

/** Icons by kind, and for items that wait or failed, on a 24 by 24 grid. */
const DRAWINGS: Readonly<Record<Kind | 'waiting' | 'failed', string>> = {
  raster: 'M4 4h16v16H4zM4 16l5-5 4 4 3-3 4 4M15.5 8.5h.01',
  text: 'M5 6h14M5 10h14M5 14h14M5 18h8',
  document: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
  video: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  audio: 'M4 10v4M8 7v10M12 4v16M16 8v8M20 10v4',
  model: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  other: 'M6 3h8l4 4v14H6zM14 3v4h4',
  waiting: 'M12 4a8 8 0 1 1 0 16a8 8 0 0 1 0-16zM12 8v4l3 2',
  failed: 'M9 5L5 9l4 4M5 9h9a5 5 0 0 1 0 10h-3',
}
/** Has sufficient contrast in both themes. */
const COLOUR = '#7b818d'
const MAX_LETTERS = 24
const MINUTE = 60_000

/** Returns an SVG for content without a thumbnail, for both themes: an icon and, in larger sizes, the reason. */
export function tileOf(
  found: Pick<FoundThumbnail, 'contentType' | 'contentBytes' | 'state' | 'retryAt'>,
  size: number,
  now: Date,
): string {
  const lines = size >= 384 ? linesOf(found, now) : []
  const texts = lines.map(
    (line, n) =>
      `<text x="48" y="${69 + 8 * n}" text-anchor="middle" font-family="system-ui,sans-serif" font-size="6" fill="${COLOUR}">${line}</text>`,
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 96 96">` +
    `<path transform="translate(30 24) scale(1.5)" d="${DRAWINGS[drawingOf(found)]}" fill="none" stroke="${COLOUR}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>` +
    `${texts.join('')}</svg>`
  )
}

const drawingOf = ({ contentType, state, retryAt }: Parameters<typeof tileOf>[0]) => {
  if (retryAt || state === 'failed') return 'failed'
  return state === 'waiting' ? 'waiting' : kindOf(contentType)
}

function linesOf({ contentType, contentBytes, state, retryAt }: Parameters<typeof tileOf>[0], now: Date) {
  if (retryAt) {
    const minutes = Math.ceil((retryAt.getTime() - now.getTime()) / MINUTE)
    return ['Preview failed', minutes > 0 ? `Next try in ${minutes} min` : 'Next try soon']
  }
  if (state === 'failed') return ['Preview failed']
  if (state === 'waiting') return ['Preview in progress']
  const type = inMarkup(shorten(essenceOf(contentType)))
  const kilobytes = contentBytes === null ? '' : `${(contentBytes / 1000).toFixed(1)} kB`
  return [type, kilobytes].filter(Boolean)
}

const shorten = (text: string) => {
  const letters = [...text.replace(/[^\x20-\x7e]/g, '')]
  return letters.length > MAX_LETTERS ? `${letters.slice(0, MAX_LETTERS - 1).join('')}…` : letters.join('')
}
