import { scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { verifyMessage } from '@ordbook/bitcoin/bip322.ts'
import { bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { messagePsbtOf } from '@ordbook/bitcoin/message-psbt.ts'
import { callRpc } from '@ordbook/devnet/regtest.ts'
import { accountsFrom, readAccountKeys } from '@ordbook/sdk/wallets/account-export.ts'
import { withOrigins } from '@ordbook/sdk/wallets/origins.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNode, type TestNode } from '../support/node.ts'

let node: TestNode
beforeAll(async () => {
  node = await startNode('bitcoind')
  await node.restart('SIGTERM', ['-disablewallet=0'])
  await node.regtest.call('createwallet', 'by-file')
})
afterAll(() => node?.stop())

const call = (method: string, ...params: unknown[]) =>
  callRpc<any>(`${node.url}wallet/by-file`, method, ...params)

it.each(['bech32', 'p2sh-segwit'])(
  'signs with exported descriptors and %s payments',
  async (type) => {
    const exported = await call('listdescriptors')
    const descriptors = exported.descriptors.filter(
      ({ desc }: { desc: string }) =>
        desc.startsWith(type === 'bech32' ? 'wpkh(' : 'sh(wpkh(') || desc.startsWith('tr('),
    )
    const keys = readAccountKeys(JSON.stringify({ ...exported, descriptors }), 'regtest')
    const { ordinals, payment } = accountsFrom(keys, 0, 'regtest')
    expect(await call('getaddressinfo', ordinals.address)).toMatchObject({ ismine: true })
    expect(payment.address).toBe(await call('getnewaddress', '', type))
    for (const account of [ordinals, payment]) {
      const { desc } = await call('getaddressinfo', account.address)
      expect(desc).toContain(`[${account.origin}]`)
      const script = scriptOfAddress(account.address, 'regtest')
      const challenge = messagePsbtOf(script, 'Hello', hexToBytes(account.publicKey))
      const { psbt } = await call('walletprocesspsbt', withOrigins(challenge, [account], 'regtest'))
      expect(verifyMessage(script, 'Hello', bytesToHex(bytesOfBase64(psbt)!))).toBe(true)
    }
  },
  60_000,
)
