import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MATRIX } from '@ordbook/sdk/wallets/matrix.ts'
import { FLOWS, type Flow } from '@ordbook/sdk/wallets.ts'
import { expect, it } from 'vitest'
import { printWalletsPage } from './page.ts'

const squeezed = (text: string) => text.replaceAll(/ +|-{3,}/g, ' ')

it('shows every wallet and flow of the table in docs/reference/wallets.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/wallets.md'), 'utf8')
  expect(squeezed(page), 'out of date: npm run generate -- wallets').toBe(squeezed(printWalletsPage()))
})

it('names for each failure a flow that exists', () => {
  for (const { fails } of MATRIX)
    for (const flow of Object.keys(fails)) expect(FLOWS).toHaveProperty(flow as Flow)
})
