export interface Column {
  head: string
  align?: 'right'
  /** Whether long cells may be shortened, ids before names. Default: never. */
  shorten?: 'id' | 'name'
  /** Leave this column out before the others if the table is still too wide. */
  optional?: boolean
}

const GAP = '  '
/** Columns are shortened to this width at most. */
const MIN_WIDTH = 13

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const WIDE =
  /\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u

const partsOf = (text: string) => [...graphemes.segment(text)].map(({ segment }) => segment)
const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0)
const cellsOf = (part: string) => (WIDE.test(part) ? 2 : /^[\p{M}\p{Cf}]+$/u.test(part) ? 0 : 1)

/** Returns the number of terminal cells that a text takes. */
export const widthOf = (text: string): number =>
  /^[ -~]*$/.test(text) ? text.length : sum(partsOf(text).map(cellsOf))

const widestOf = (rows: readonly (readonly string[])[], n: number) =>
  rows.reduce((widest, row) => Math.max(widest, widthOf(row[n]!)), 0)

/** Returns the first parts that fit a width. */
function takeParts(parts: readonly string[], width: number): string[] {
  let used = 0
  const end = parts.findIndex((part) => (used += cellsOf(part)) > width)
  return end < 0 ? [...parts] : parts.slice(0, end)
}

/** Shortens a text to a width, with `…` in the middle, because names often end in a number. */
export function shorten(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  const parts = partsOf(text)
  const tail = Math.floor((width - 1) / 2)
  const last = takeParts(parts.toReversed(), tail).toReversed()
  return [...takeParts(parts, width - 1 - tail), '…', ...last].join('')
}

/** A pictograph with its modifiers, joined to others, or a keycap. */
const EMOJI =
  /\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*)*|[#*\d]\ufe0f\u20e3/u
const UNPRINTABLE = new RegExp(
  String.raw`(${EMOJI.source})|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`,
  'gu',
)

/**
 * Makes a line out of a text. Replaces line breaks, control characters and invisible characters outside of emoji, which a market could put
 * in a name to change what a terminal shows.
 */
export const printable = (text: string): string =>
  text.replace(UNPRINTABLE, (_, emoji?: string) => emoji ?? '\ufffd')

/** Formats the lines of a table of at most `maxWidth` cells, or with full cells if it is null. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  maxWidth: number | null,
): string[] {
  const lines = [columns.map(({ head }) => head), ...rows].map((row) => row.map(printable))
  const natural = columns.map((_, n) => widestOf(lines, n))
  const { shown, widths } =
    maxWidth === null ? { shown: [...columns.keys()], widths: natural } : fit(columns, natural, maxWidth)
  return lines.map((line) =>
    shown
      .map((n) => {
        const cell = shorten(line[n]!, widths[n]!)
        const space = ' '.repeat(widths[n]! - widthOf(cell))
        return columns[n]!.align === 'right' ? space + cell : cell + space
      })
      .join(GAP)
      .trimEnd(),
  )
}

/** Returns the columns to show and their widths: ids are shortened before names, and optional columns are left out if that is not enough. */
function fit(columns: readonly Column[], natural: readonly number[], maxWidth: number) {
  const shown = [...columns.keys()]
  const totalOf = (widths: readonly number[]) =>
    sum(shown.map((n) => widths[n]!)) + GAP.length * (shown.length - 1)
  const least = columns.map(({ shorten: kind }, n) => (kind ? Math.min(MIN_WIDTH, natural[n]!) : natural[n]!))
  for (const n of columns.keys())
    if (columns[n]!.optional && totalOf(least) > maxWidth) shown.splice(shown.indexOf(n), 1)
  const isName = (n: number) => columns[n]!.shorten === 'name'
  const widths = [...natural]
  while (totalOf(widths) > maxWidth) {
    const [widest] = shown
      .filter((n) => widths[n]! > least[n]!)
      .toSorted((a, b) => Number(isName(a)) - Number(isName(b)) || widths[b]! - widths[a]!)
    if (widest === undefined) break
    widths[widest]!--
  }
  return { shown, widths }
}

/** Aligns the columns of rows, without a heading or a limit. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, n) => widestOf(rows, n))
  return rows.map((row) =>
    row
      .map((cell, n) => cell + ' '.repeat(widths[n]! - widthOf(cell)))
      .join(GAP)
      .trimEnd(),
  )
}
