import { keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import { hexOfTransaction, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { OverNetworkFee } from '@ordbook/sdk'
import { expect, it } from 'vitest'
import { Output } from '../output.ts'
import { TradeSession } from '../trade-session.ts'
import { Arguments } from '../verb.ts'
import { exit } from './exit.ts'

const owner = publicKeyOf(new Uint8Array(32).fill(7))
const marketKey = xOnlyKeyOf(new Uint8Array(32).fill(9))
const seller = keySpendOf(scriptOfPublicKey(owner, 'p2tr'), owner)
const parent: Tx = {
  version: 2,
  inputs: [
    {
      txid: '11'.repeat(32),
      vout: 0,
      scriptSig: new Uint8Array(),
      sequence: 0xffffffff,
      witness: [],
    },
  ],
  outputs: [{ valueSats: 1_000_000, script: buildPassthrough(seller, marketKey, 'wallet').script }],
  locktime: 0,
}

function leave(options: Record<string, unknown>) {
  const out = new Output(true)
  out.note = () => {}
  const withoutConfig = () => {
    throw new Error('an exit with public keys needs no configuration')
  }
  const desk = new TradeSession(withoutConfig, out, { isDryRun: false, isSure: false })
  const values = {
    'ordinals-key': bytesToHex(owner),
    'market-key': bytesToHex(marketKey),
    offset: '0',
    transaction: [hexOfTransaction(parent)],
    ...options,
  }
  return exit.run(desk, new Arguments([`${txidOf(parent)}:0`], values))
}

it('rejects a network fee above the default limit', async () => {
  const left = await leave({ 'fee-rate': '10' })
  expect((left!.document as { feeSats: number }).feeSats).toBeLessThan(50_000)
  await expect(leave({ 'fee-rate': '1000' })).rejects.toThrow(OverNetworkFee)
})

it('rejects a network fee above --max-network, and allows a higher limit', async () => {
  await expect(leave({ 'fee-rate': '10', 'max-network': '100' })).rejects.toThrow(OverNetworkFee)
  const left = await leave({ 'fee-rate': '1000', 'max-network': '1_000_000' })
  expect((left!.document as { feeSats: number }).feeSats).toBeGreaterThan(50_000)
})
