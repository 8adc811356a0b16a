import { equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodeTransaction, hexOfTransaction } from '@ordbook/bitcoin/transaction.ts'
import { exitEscrow, split } from '@ordbook/sdk/index.ts'
import { expect, it } from 'vitest'
import { inscribeTogether } from '../../../e2e/support/bundles.ts'
import { freshWallet, listAll, setUpMarket, signedPackage } from '../../../e2e/support/market.ts'
import { traderAtStorefront } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()

it("broadcasts only the owner's valid exit", async () => {
  const owner = await traderAtStorefront(market.server.url, freshWallet())
  const stranger = await traderAtStorefront(market.server.url, freshWallet())
  const buyer = await market.trader()
  const { slug, ids } = await market.collection(owner.wallet, 1)
  const [id] = ids as [string]
  await listAll(market, owner, slug, [id], 50_000)
  const escrowOf = async () => (await owner.client.call('getInscription', { params: { id } })).escrow
  expect(await escrowOf()).toBeNull()
  const { signed } = await signedPackage(market, buyer, slug, [id])
  await market.regtest.mineExactly([decodeTransaction(signed[0]!.hex)])
  await market.server.sync()
  expect(await escrowOf()).toEqual({ owner: owner.wallet.ordinalsAddress, escrowForm: 'wallet' })

  const { txid, vout, valueSats } = await market.coinOf(id)
  const cosignKey = Buffer.from(market.server.context.market.cosignKey).toString('hex')
  const exit = {
    escrows: [{ txid, vout, valueSats, form: 'wallet' as const, cosignKey }],
    coins: [],
    feeRateSatVb: 3,
  }
  const { tx } = await exitEscrow(owner.wallet, exit)
  const send = ({ client, walletBindingId }: typeof owner, transaction: string) =>
    client.call('sendExit', { body: { walletBindingId, transaction } })
  await expect(send(stranger, hexOfTransaction(tx))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('does not withdraw an inscription of this wallet'),
  })
  await expect(send(owner, signed[0]!.hex)).rejects.toMatchObject({ status: 400 })
  await expect(send(owner, '00'.repeat(50))).rejects.toMatchObject({ status: 400 })
  const altered = structuredClone(tx)
  altered.outputs[0]!.valueSats += 1
  await expect(send(owner, hexOfTransaction(altered))).rejects.toMatchObject({
    status: 409,
    code: 'network-refused',
    retryable: false,
    message: expect.stringMatching(/network rejected this exit .*Schnorr signature.* do not retry/i),
  })
  expect(await market.regtest.call<string[]>('getrawmempool')).toEqual([])
  const sent = await send(owner, hexOfTransaction(tx))
  expect(await market.regtest.call('getrawmempool')).toContain(sent.txid)
  await market.mine()
  expect(equalBytes((await market.coinOf(id)).script, owner.wallet.ordinalsScript)).toBe(true)
  expect(await escrowOf()).toBeNull()
})

it('broadcasts only splits that pay the wallet', async () => {
  const owner = await traderAtStorefront(market.server.url, freshWallet())
  const [first, second] = await inscribeTogether(
    market,
    owner.wallet.ordinalsScript,
    ['split-first', 'split-second'],
    [0, 5000],
  )
  const payment = await market.regtest.fund(owner.wallet.paymentScript, 50_000)
  await market.mine()
  const coin = await market.coinOf(first)
  const { tx } = await split(owner.wallet, {
    coin: { ...coin, script: owner.wallet.ordinalsScript },
    contents: [
      { inscriptionId: first, offset: 0 },
      { inscriptionId: second, offset: 5000 },
    ],
    coins: [payment],
    feeRateSatVb: 3,
    maxNetworkSats: 10_000,
  })
  const send = (transaction: string) =>
    owner.client.call('sendSplit', { body: { walletBindingId: owner.walletBindingId, transaction } })
  const diverted = structuredClone(tx)
  diverted.outputs[1]!.script = freshWallet().ordinalsScript
  await expect(send(hexOfTransaction(diverted))).rejects.toMatchObject({ status: 400, code: 'split-invalid' })
  const paying = structuredClone(tx)
  paying.outputs.push({ valueSats: 1, script: Uint8Array.of(0x6a, 0x5d) })
  await expect(send(hexOfTransaction(paying))).rejects.toMatchObject({ status: 400, code: 'split-invalid' })
  const unsigned = structuredClone(tx)
  unsigned.outputs[0]!.valueSats -= 1
  await expect(send(hexOfTransaction(unsigned))).rejects.toMatchObject({
    status: 409,
    code: 'network-refused',
  })
  const { txid } = await send(hexOfTransaction(tx))
  expect(await market.regtest.call('getrawmempool')).toContain(txid)
  await market.mine()
  for (const id of [first, second]) expect((await market.coinOf(id)).txid).toBe(txid)
})
