import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LEDGER_PURPOSES } from './ledger.ts'
import { COIN_MOVES, COIN_STATES } from './states.ts'

it('coin states match docs/reference/market-coins.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/reference/market-coins.md'), 'utf8')
  const cells = text
    .split('\n')
    .filter((line) => /^\| `[a-z ]+` /.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1)
        .join(' | '),
    )
  expect(cells).toEqual([
    ...Object.entries(COIN_STATES).map(([state, about]) => `\`${state}\` | ${about}`),
    ...COIN_MOVES.map(
      ({ name, from, to, when }) => `\`${name}\` | ${from.join(', ')} | ${to.join(', ')} | ${when}`,
    ),
    ...Object.entries(LEDGER_PURPOSES).map(([purpose, about]) => `\`${purpose}\` | ${about}`),
  ])
})
