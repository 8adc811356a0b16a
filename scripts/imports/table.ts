import { FOREIGN, GROUPS, HOLDS_SQL_IN_WORDS, PACKAGES, ROOMS, type Rooms, TYPES_ONLY } from './law.ts'

const BEGIN = '<!-- Printed from scripts/imports/law.ts by `npm run check:imports -- --write` -->'
const END = '<!-- End of the printed part -->'

const quoted = (list: string) =>
  list
    .split(', ')
    .map((name) => (GROUPS[name] ? `_${name}_` : `\`${name}\``))
    .join(', ')

/** A Markdown table of rooms and what they may import; `types` says of which package a room takes types alone. */
function tableOf(title: string, rooms: Rooms, types: (room: string, other: string) => boolean): string {
  const lines = rooms.map(([names, allowed]) => [
    quoted(names),
    allowed === ''
      ? 'nothing of ours'
      : allowed
          .split(', ')
          .map((other) => `${quoted(other)}${types(names, other) ? ' as types' : ''}`)
          .join(', '),
  ])
  const rows = [[title, 'May import'], ...lines]
  const widths = [0, 1].map((column) => Math.max(...rows.map((cells) => cells[column]!.length)))
  const [head, ...body] = rows.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column]!)))
  const rule = widths.map((width) => '-'.repeat(width))
  return [head!, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The part of ARCHITECTURE.md with the law of imports. */
function printLaw(): string {
  const asTypes = (room: string, other: string) =>
    TYPES_ONLY.some(([from, to]) => from === room && to === other)
  const tables = [
    tableOf('Package', PACKAGES, asTypes),
    ...Object.entries(ROOMS).map(([name, rooms]) => tableOf(`Module of \`${name}\``, rooms, () => false)),
  ]
  const groups = Object.entries(GROUPS).map(([name, list]) => `- _${name}_: ${quoted(list)}`)
  const foreign = Object.entries(FOREIGN).map(
    ([name, list]) => `- In \`server/\`, only ${quoted(list)} may import \`${name}\`.`,
  )
  return [
    BEGIN,
    tables.join('\n\n'),
    groups.join('\n'),
    [...foreign, `- Only ${HOLDS_SQL_IN_WORDS} hold SQL.`].join('\n'),
    END,
  ].join('\n\n')
}

/** A document with its printed part replaced. Throws where it has none. */
export function withLaw(document: string): string {
  const from = document.indexOf(BEGIN)
  const to = document.indexOf(END)
  if (from < 0 || to < from) throw new Error(`ARCHITECTURE.md lacks the lines ${BEGIN} and ${END}`)
  return document.slice(0, from) + printLaw() + document.slice(to + END.length)
}
