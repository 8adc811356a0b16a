import { inMarkup } from '@ordbook/http/documents/markup.ts'
import { essenceOf, type Kind, kindOf } from './kinds.ts'

/** Icons by kind, on a 24 by 24 grid. */
const DRAWINGS: Readonly<Record<Kind, string>> = {
  raster: 'M4 4h16v16H4zM4 16l5-5 4 4 3-3 4 4M15.5 8.5h.01',
  text: 'M5 6h14M5 10h14M5 14h14M5 18h8',
  document: 'M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14',
  video: 'M4 5h16v14H4zM10 9l5 3-5 3z',
  audio: 'M4 10v4M8 7v10M12 4v16M16 8v8M20 10v4',
  model: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  other: 'M6 3h8l4 4v14H6zM14 3v4h4',
}
/** Has sufficient contrast in both themes. */
const COLOUR = '#7b818d'
const MAX_LETTERS = 24

/** Returns an SVG icon for content without a thumbnail, for both themes. Larger sizes include the media type. */
export function tileOf(contentType: string | null, size: number): string {
  const type = inMarkup(shorten(essenceOf(contentType)))
  const label =
    size >= 384 && type
      ? `<text x="48" y="74" text-anchor="middle" font-family="system-ui,sans-serif" font-size="5" fill="${COLOUR}">${type}</text>`
      : ''
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 96 96">` +
    `<path transform="translate(30 28) scale(1.5)" d="${DRAWINGS[kindOf(contentType)]}" fill="none" stroke="${COLOUR}" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>` +
    `${label}</svg>`
  )
}

const shorten = (text: string) => {
  const letters = [...text.replace(/[^\x20-\x7e]/g, '')]
  return letters.length > MAX_LETTERS ? `${letters.slice(0, MAX_LETTERS - 1).join('')}…` : letters.join('')
}
