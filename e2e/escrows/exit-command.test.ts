import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import type { Coin } from '@ordbook/bitcoin/trade/layout.ts'
import { escrowCoinOf } from '@ordbook/bitcoin/trade/listing.ts'
import { decodeTransaction } from '@ordbook/bitcoin/transaction.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cosignKey, type Kit, ownerOf, startKit } from './support/escrow-kit.ts'

/** Exits with the `exit` command, without a market. */
let kit: Kit
const directory = mkdtempSync(join(tmpdir(), 'ordbook-exit-'))
const owner = ownerOf('leaves by command')
const whose = [
  ['--ordinals-key', owner.wallet.ordinalsPublicKey],
  ['--market-key', bytesToHex(cosignKey)],
  ['--payment-key', owner.wallet.paymentPublicKey],
  ['--network', 'regtest'],
].flat()
beforeAll(async () => {
  kit = await startKit()
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await kit?.node.stop()
})

const run = (...words: string[]) =>
  promisify(execFile)(process.execPath, ['cli/src/ordbook.ts', 'exit', ...whose, ...words], {
    env: { ...process.env, ORDBOOK_CONFIG: join(directory, 'none.json'), XDG_STATE_HOME: directory },
    timeout: 60_000,
  })
const file = (name: string, text: string) => {
  writeFileSync(join(directory, name), text)
  chmodSync(join(directory, name), 0o600)
  return join(directory, name)
}
const rawOf = ({ txid }: Coin) => kit.regtest.call<string>('getrawtransaction', txid)

it('withdraws an inscription through a node', async () => {
  const [terms] = await kit.escrowed(owner, ['wallet'])
  const [coin] = await kit.coins(owner.wallet.paymentScript, [20_000])
  const at = formatOutpoint(escrowCoinOf(terms!))
  const what = ['--node', kit.node.url, at, '--coin', formatOutpoint(coin!), '--fee-rate', '3']
  const { stdout: psbt, stderr } = await run(...what)
  expect(stderr).toContain(
    `out  10,000 sats (0.00010000 BTC) to ${owner.wallet.ordinalsAddress}, your ordinals address`,
  )
  expect(stderr).toContain(`sign inputs 0 as ${owner.wallet.ordinalsAddress}`)
  const signed = await owner.wallet.signPsbt(psbt.trim(), [
    { address: owner.wallet.ordinalsAddress, signingIndexes: [0] },
    { address: owner.wallet.paymentAddress, signingIndexes: [1] },
  ])
  const { stdout } = await run(...what, '--signed', file('signed', signed), '--send', '--json')
  const { txid } = JSON.parse(stdout)
  await kit.regtest.mine()
  expect(await kit.isUnspent({ txid, vout: 0, valueSats: 0, script: new Uint8Array() })).toBe(true)
  expect(await kit.isUnspent(escrowCoinOf(terms!))).toBe(false)
})

it('pays the exit fee from the escrow coin', async () => {
  const [terms] = await kit.escrowed(owner, ['wallet'])
  const coin = escrowCoinOf(terms!)
  const what = ['--transaction', file('raw', await rawOf(coin)), formatOutpoint(coin), '--fee-rate', '2']
  await expect(run(...what)).rejects.toThrow('or --offset N is missing')
  await expect(run(...what, '--offset', '9800')).rejects.toThrow('Add a payment coin for the fee')
  const { stdout: psbt } = await run(...what, '--offset', '9000')
  expect(unsignedTransactionOf(psbt.trim()).outputs).toEqual([
    { valueSats: 10_000 - 274, script: owner.wallet.ordinalsScript },
  ])
  const signed = await owner.wallet.signPsbt(psbt.trim(), [
    { address: owner.wallet.ordinalsAddress, signingIndexes: [0] },
  ])
  const { stdout: hex } = await run(...what, '--offset', '9000', '--signed', file('signed', signed))
  expect(await kit.says(decodeTransaction(hex.trim()))).toBe('allowed')
})

it('spends the published form with the private key', async () => {
  const [terms] = await kit.escrowed(owner, ['published'])
  const coin = escrowCoinOf(terms!)
  const what = ['--transaction', await rawOf(coin), formatOutpoint(coin), '--fee-rate', '2', '--offset', '0']
  await expect(run(...what)).rejects.toThrow('requires the private key')
  const { stdout: hex } = await run(...what, '--secret-file', file('secret', bytesToHex(owner.keys.ordinals)))
  expect(await kit.says(decodeTransaction(hex.trim()))).toBe('allowed')
})

it('rejects wrong coins, wrong keys and missing data', async () => {
  const [terms] = await kit.escrowed(owner, ['wallet'])
  const coin = escrowCoinOf(terms!)
  const raw = await rawOf(coin)
  const what = [formatOutpoint(coin), '--fee-rate', '2', '--offset', '0']
  await expect(run(...what)).rejects.toThrow(`the raw transaction ${coin.txid}`)
  const stranger = bytesToHex(ownerOf('a stranger').spend.internalKey!)
  await expect(run(...what, '--transaction', raw, '--market-key', stranger)).rejects.toThrow(
    'is not an escrow of',
  )
  await expect(run(...what, '--transaction', raw, '--ordinals-key', stranger)).rejects.toThrow(
    'is not an escrow of',
  )
  await expect(run('--fee-rate', '2')).rejects.toThrow('the escrow coin TXID:VOUT is missing')
})
