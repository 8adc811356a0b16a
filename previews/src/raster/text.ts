import sharp from 'sharp'
import { NoThumbnail } from '../thumbnails.ts'
import { firstLine, type Pixels, pixelsOf } from './encode.ts'

const SIZE = 1024
const MARGIN = 72
const PAPER = '#faf7f0'
const INK = '#1b1a17'
/** Maximum characters shown. */
const MAX_LETTERS = 1200
const MAX_LINES = 40
const MAX_IN_LINE = 40
const MAX_DPI = 1600

/** Renders text as a page in the largest size that fits. Throws NoThumbnail. */
export async function pageOfText(bytes: Uint8Array): Promise<Pixels> {
  const excerpt = shownPart(new TextDecoder().decode(bytes))
  if (excerpt.trim() === '') throw new NoThumbnail('the text is empty', { isFinal: true })
  const lines = excerpt.split('\n')
  const widest = Math.max(...lines.map((line) => line.length))
  const longestWord = Math.max(...excerpt.split(/\s+/).map((word) => word.length))
  const wrap = widest <= MAX_IN_LINE ? 'none' : longestWord <= MAX_IN_LINE ? 'word' : 'word-char'
  const text = {
    text: `<span foreground="${INK}">${escapeMarkup(excerpt)}</span>`,
    font: 'DejaVu Sans Mono, monospace',
    rgba: true,
    wrap,
  } as const
  const inside = SIZE - 2 * MARGIN
  try {
    let set = await sharp({ text: { ...text, width: inside, height: inside } })
      .raw()
      .toBuffer({ resolveWithObject: true })
    if ((set.info.textAutofitDpi ?? 0) > MAX_DPI)
      set = await sharp({ text: { ...text, width: inside, dpi: MAX_DPI } })
        .raw()
        .toBuffer({ resolveWithObject: true })
    const { data, info: raw } = set
    const letters = await pixelsOf(
      sharp(data, { raw })
        .flatten({ background: PAPER })
        .resize(inside, inside, { fit: 'inside', withoutEnlargement: true }),
    )
    const left = Math.floor((SIZE - letters.width) / 2)
    const top = Math.floor((SIZE - letters.height) / 2)
    const right = SIZE - letters.width - left
    const bottom = SIZE - letters.height - top
    return await pixelsOf(
      sharp(letters.data, { raw: letters }).extend({ left, top, right, bottom, background: PAPER }),
    )
  } catch (error) {
    throw new NoThumbnail(`the text cannot be rendered: ${firstLine(error)}`, { isFinal: true })
  }
}

/** Returns the beginning of a text, cut between words, without invisible characters. JSON is indented. */
export function shownPart(text: string): string {
  const plain = indented(text)
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    // Bidirectional characters could draw over the margin; the others are invisible.
    .replace(/[^\P{C}\n]/gu, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+|\n+$/g, '')
  const lines = plain.split('\n')
  const cut = lines.length > MAX_LINES ? lines.slice(0, MAX_LINES).join('\n') : plain
  const letters = [...cut]
  if (letters.length <= MAX_LETTERS) return cut === plain ? cut : `${cut}\n…`
  const start = letters.slice(0, MAX_LETTERS).join('')
  const end = start.search(/\s\S*$/)
  return `${end > MAX_LETTERS / 2 ? start.slice(0, end) : start} …`
}

function indented(text: string): string {
  if (!/^\s*[{[]/.test(text) || text.length > 4 * MAX_LETTERS) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
export const escapeMarkup = (text: string) => text.replace(/[&<>]/g, (each) => ENTITIES[each]!)
