import sharp, { type OverlayOptions } from 'sharp'
import type { CardTexts } from '../market.ts'
import { NoThumbnail } from '../thumbnails.ts'
import { decode, firstLine, open, PIXEL_ART, type Pixels, pixelsOf } from './encode.ts'
import { escapeMarkup } from './text.ts'

/** Size of a large link preview. */
const WIDTH = 1200
const HEIGHT = 630
const MARGIN = 40
const SIDE = HEIGHT - 2 * MARGIN
const LEFT = MARGIN + SIDE + MARGIN

/** The storefront's dark theme. */
const COLOURS = { ground: '#0b0c0f', well: '#1b1e24', ink: '#f3f4f6', soft: '#a6acb8', accent: '#ffb84d' }

/** Maximum characters of a line, and combining marks to remove: all but one per character. */
const MAX_LETTERS = 90
const MARKS = /(\p{M}{2})\p{M}+/gu
/** Pixels per DPI for text with a size of 12 points. */
const PIXELS = 12 / 72

interface Line {
  text: string
  top: number
  left?: number
  /** Maximum height of the text. Longer texts are scaled down. */
  height: number
  /** Font size in pixels, if the text fits. */
  letters: number
  colour: string
  isBold?: boolean
}

/** Maximum bytes of a card, and the JPEG qualities to try. */
const MAX_BYTES = 200_000
const QUALITIES = [86, 72, 56, 40]

/** Draws a card for link previews: a thumbnail next to its text. Throws NoThumbnail. */
export async function cardOf(thumbnail: Uint8Array, texts: CardTexts): Promise<Uint8Array> {
  const art = await scaleToFit(await decode(thumbnail))
  const lines = await Promise.all(linesOf(texts).map(renderLine))
  const layers: OverlayOptions[] = [
    { ...block(SIDE, SIDE, COLOURS.well), left: MARGIN, top: MARGIN },
    {
      ...layer(art),
      left: MARGIN + Math.floor((SIDE - art.width) / 2),
      top: MARGIN + Math.floor((SIDE - art.height) / 2),
    },
    { ...block(28, 28, COLOURS.accent), left: LEFT, top: HEIGHT - MARGIN - 28 },
    ...lines.flat(),
  ]
  const ground = { width: WIDTH, height: HEIGHT, channels: 3 as const, background: COLOURS.ground }
  const card = await pixelsOf(sharp({ create: ground }).composite(layers).removeAlpha())
  for (const quality of QUALITIES) {
    const jpeg = await open(card).jpeg({ quality, chromaSubsampling: '4:4:4' }).toBuffer()
    if (jpeg.length <= MAX_BYTES) return jpeg
  }
  throw new NoThumbnail('the card exceeds its size limit at the lowest quality', { isFinal: true })
}

const layer = ({ data, width, height, channels }: Pixels): OverlayOptions => ({
  input: data,
  raw: { width, height, channels },
})

const block = (width: number, height: number, background: string): OverlayOptions => ({
  input: { create: { width, height, channels: 3, background } },
})

/** Scales a thumbnail. Pixel art keeps sharp edges. */
function scaleToFit(thumbnail: Pixels): Promise<Pixels> {
  const isPixelArt = Math.max(thumbnail.width, thumbnail.height) <= PIXEL_ART
  return pixelsOf(
    open(thumbnail).resize(SIDE, SIDE, { fit: 'inside', ...(isPixelArt ? { kernel: 'nearest' } : {}) }),
  )
}

const linesOf = ({ heading, name, label, amount, note, market }: CardTexts): Line[] => [
  { text: heading, top: MARGIN + 6, height: 32, letters: 24, colour: COLOURS.soft },
  { text: name, top: MARGIN + 54, height: 190, letters: 54, colour: COLOURS.ink, isBold: true },
  { text: label, top: 330, height: 32, letters: 24, colour: COLOURS.soft },
  { text: amount ?? '', top: 374, height: 72, letters: 56, colour: COLOURS.accent, isBold: true },
  { text: note ?? '', top: 462, height: 34, letters: 26, colour: COLOURS.soft },
  { text: market, top: HEIGHT - MARGIN - 29, left: LEFT + 40, height: 32, letters: 24, colour: COLOURS.ink },
]

/** Renders a line as a layer; none without visible characters. */
async function renderLine({
  text,
  top,
  left = LEFT,
  height,
  letters,
  colour,
  isBold,
}: Line): Promise<OverlayOptions[]> {
  const line = lineOf(text)
  if (line === '') return []
  const options = {
    text: `<span foreground="${colour}">${escapeMarkup(line)}</span>`,
    font: `DejaVu Sans ${isBold ? 'Bold ' : ''}12`,
    rgba: true,
    wrap: 'word-char',
    width: WIDTH - MARGIN - left,
  } as const
  try {
    const set = (more: { height: number } | { dpi: number }) =>
      sharp({ text: { ...options, ...more } })
        .raw()
        .toBuffer({ resolveWithObject: true })
    const dpi = Math.round(letters / PIXELS)
    const whole = await set({ height })
    const { data, info } = (whole.info.textAutofitDpi ?? 0) > dpi ? await set({ dpi }) : whole
    return [{ ...layer({ data, ...info } as Pixels), left, top }]
  } catch (error) {
    throw new NoThumbnail(`a line cannot be rendered: ${firstLine(error)}`, { isFinal: true })
  }
}

/** Normalizes text to one line. Removes invisible and bidirectional characters, and excess combining marks. */
export function lineOf(text: string): string {
  const plain = text.replace(/\s+/gu, ' ').replace(/\p{C}/gu, '').replace(MARKS, '$1').trim()
  const letters = [...plain]
  return letters.length > MAX_LETTERS ? `${letters.slice(0, MAX_LETTERS - 1).join('')}…` : plain
}
