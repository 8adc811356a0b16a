import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MATRIX } from '@ordbook/sdk/wallets/matrix.ts'
import { browserWallets, FLOWS, type Flow } from '@ordbook/sdk/wallets.ts'
import { expect, it } from 'vitest'
import { HOLDINGS } from './holdings.ts'
import { printWalletsPage } from './page.ts'

const squeezed = (text: string) => text.replaceAll(/ +|-{3,}/g, ' ')

it('docs/reference/wallets.md is up to date', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/wallets.md'), 'utf8')
  expect(squeezed(page), 'out of date: npm run generate -- wallets').toBe(squeezed(printWalletsPage()))
})

it('wallet failures refer to existing flows', () => {
  for (const { fails } of MATRIX)
    for (const flow of Object.keys(fails)) expect(FLOWS).toHaveProperty(flow as Flow)
})

it('HOLDINGS has an entry for every browser wallet', () => {
  expect(HOLDINGS.map(({ adapter }) => adapter)).toEqual(browserWallets.map(({ id }) => id))
  for (const { adapter, isSeparate, call, checked } of HOLDINGS) {
    const { inscriptionsAt } = browserWallets.find(({ id }) => id === adapter)!
    if (inscriptionsAt) expect([isSeparate, call]).toEqual([false, expect.any(String)])
    expect(Date.parse(checked)).toBeLessThanOrEqual(Date.now())
  }
})
