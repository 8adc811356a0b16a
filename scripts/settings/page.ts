import { dbVariables } from '@ordbook/db/settings/db.ts'
import { httpVariables } from '@ordbook/db/settings/http.ts'
import { indexerVariables } from '@ordbook/db/settings/indexer.ts'
import { marketVariables } from '@ordbook/db/settings/market.ts'
import { operationsVariables } from '@ordbook/db/settings/operations.ts'
import { siteVariables } from '@ordbook/db/settings/site.ts'
import { variables as rendererVariables } from '@ordbook/previews/config.ts'
import type { Variable } from '@ordbook/process/variables.ts'
import { holderVariables, keyVariables } from '@ordbook/signer-host/config.ts'

type Table = Readonly<Record<string, Variable<unknown>>>

const SECTIONS: readonly (readonly [title: string, table: Table, intro?: string])[] = [
  ['HTTP', httpVariables],
  ['Storefront', siteVariables],
  ['Database', dbVariables],
  ['Chain', indexerVariables],
  ['Trading', marketVariables],
  ['Keys', keyVariables],
  ['Operations', operationsVariables],
  [
    'Signer and guardian',
    holderVariables,
    '`ordbook market signer` and `ordbook market guardian` read the variables of [Keys](#keys) and this variable.',
  ],
  [
    'Preview renderer',
    rendererVariables,
    '`ordbook market previews` reads only these variables ([render thumbnails](../how-to/render-thumbnails.md)).',
  ],
]

export const printSettingsPage = (): string => `# Settings

Settings are environment variables, read once at start. If a value is invalid, the process exits and prints the variable, the value and
what is expected. An empty value counts as unset.

This page is generated from the code: \`npm run generate -- settings\`.
${SECTIONS.map(printSection).join('')}`

const printSection = ([title, table, intro]: (typeof SECTIONS)[number]): string => `
## ${title}
${intro === undefined ? '' : `\n${intro}\n`}
| Variable | Default | Values | Description |
| --- | --- | --- | --- |
${Object.entries(table)
  .map(
    ([name, { fallback, expected, about }]) =>
      `| \`${name}\` | ${printDefault(fallback)} | ${printValues(expected)} | ${about} |\n`,
  )
  .join('')}`

function printDefault(fallback: unknown): string {
  if (fallback === null) return 'none'
  if (fallback === false) return '`off`'
  if (Array.isArray(fallback)) return fallback.length === 0 ? 'none' : `\`${fallback.join(',')}\``
  if (typeof fallback === 'object') return `\`${Object.values(fallback).join('/')}\``
  return `\`${fallback}\``
}

/** Returns the range or choices of a variable, or an empty string. */
function printValues(expected: string): string {
  const [, low, high] = /^an? (?:integer|number) from (\S+) to (\S+)$/.exec(expected) ?? []
  if (low !== undefined) return Number(high) > 1e12 ? `${low} or more` : `${low} to ${high}`
  const [, choices] = /^one of (.+)$/.exec(expected) ?? []
  return choices === undefined
    ? ''
    : choices
        .split(', ')
        .map((choice) => `\`${choice}\``)
        .join(', ')
}
