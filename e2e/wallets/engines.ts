import { randomBytes } from 'node:crypto'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf, tweakPrivateKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { callRpc } from '@ordbook/devnet/regtest.ts'
import { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { MATRIX } from '@ordbook/sdk/wallets/matrix.ts'
import { leather, type SignInput, signingBy, xverse } from '../../web/test/support/signers.ts'
import type { EscrowOwner } from '../escrows/support/escrow-kit.ts'
import { freshWallet } from '../support/market.ts'
import type { TestNode } from '../support/node.ts'
import { byPython } from './by-python.ts'
import { load } from './kept.ts'
import { type Asked, messagesBy, type Owner, ownerBy, throughAdapter } from './owners.ts'

/** A wallet's signing code, called through its adapter if it has one. */
export interface Engine {
  name: string
  /** Id of the storefront's adapter, or null for libraries. */
  adapter: 'xverse' | 'leather' | 'unisat' | 'by-hand' | null
  code: string
  make(node: TestNode): Owner | Promise<Owner>
}

const freshKey = () => new Uint8Array(randomBytes(32))
const sighashes = ({ sigHash }: Asked) => (sigHash === undefined ? undefined : [sigHash])

/** @scure/btc-signer 1.6, as called by Leather and Xverse. */
const scure = (kind: 'leather' | 'xverse', sign: SignInput, paymentKind: 'p2wpkh' | 'p2sh-p2wpkh') =>
  throughAdapter(kind, signingBy(freshWallet(paymentKind), sign, load('scure').Transaction))

function bitcoinjs(name: string): EscrowOwner {
  const { Psbt, initEccLib } = load(name)
  initEccLib(load('tiny-secp256k1'))
  const { ECPairFactory } = load('ecpair')
  const signerOf = (key: Uint8Array) => {
    const pair = ECPairFactory(load('tiny-secp256k1')).fromPrivateKey(Buffer.from(key))
    return {
      publicKey: Buffer.from(pair.publicKey),
      signSchnorr: (hash: Uint8Array) => Buffer.from(pair.signSchnorr(hash)),
    }
  }
  const key = freshKey()
  return ownerBy(
    xOnlyKeyOf(key),
    (base64, inputs) => {
      const psbt = Psbt.fromBase64(base64)
      for (const input of inputs) {
        const signer = signerOf(input.disableTweakSigner ? key : tweakPrivateKey(key))
        psbt.signTaprootInput(input.index, signer, undefined, sighashes(input))
      }
      return psbt.toBase64()
    },
    messagesBy(key),
  )
}

function unisat(): Promise<EscrowOwner> {
  const { SimpleKeyring } = load('@unisat/keyring-service')
  const { bitcoin } = load('@unisat/wallet-bitcoin')
  const key = freshKey()
  const keyring = new SimpleKeyring([bytesToHex(key)])
  const publicKey = bytesToHex(publicKeyOf(key))
  const wallet = new LocalWallet({ ordinals: key, payment: key }, { network: 'regtest', paymentKind: 'p2tr' })
  const signPsbt: LocalWallet['signPsbt'] = async (base64, inputs) => {
    const psbt = bitcoin.Psbt.fromBase64(base64, { network: bitcoin.networks.regtest })
    const toSign = inputs.flatMap((input) =>
      input.signingIndexes.map((index) => ({
        index,
        publicKey,
        ...(input.sigHash === undefined ? {} : { sighashTypes: [input.sigHash] }),
        ...(input.disableTweakSigner ? { disableTweakSigner: true } : {}),
      })),
    )
    return (await keyring.signTransaction(psbt, toSign)).toBase64()
  }
  return throughAdapter('unisat', Object.assign(wallet, { signPsbt }))
}

const CORE_NAMES: Record<number, string> = {
  [SIGHASH.DEFAULT]: 'DEFAULT',
  [SIGHASH.ALL]: 'ALL',
  [SIGHASH.ALL_ANYONECANPAY]: 'ALL|ANYONECANPAY',
  [SIGHASH.SINGLE_ANYONECANPAY]: 'SINGLE|ANYONECANPAY',
}

async function core({ url, regtest }: TestNode): Promise<EscrowOwner> {
  const name = randomBytes(4).toString('hex')
  await regtest.call('createwallet', name)
  const call = (method: string, ...params: unknown[]) =>
    callRpc<any>(`${url}wallet/${name}`, method, ...params)
  const address = await call('getnewaddress', '', 'bech32m')
  const { desc } = await call('getaddressinfo', address)
  return ownerBy(
    hexToBytes(/\]([0-9a-f]{64})\)/.exec(desc)![1]!),
    async (base64, inputs) => {
      const type = CORE_NAMES[inputs[0]!.sigHash ?? SIGHASH.DEFAULT]
      return (await call('walletprocesspsbt', base64, true, type, false, false)).psbt
    },
    (message) => call('signmessage', address, message),
  )
}

export const ENGINES: readonly Engine[] = [
  {
    name: 'Xverse, native segwit payments',
    adapter: 'xverse',
    code: '@scure/btc-signer 1.6.0: the key before the tweak, otherwise the key after it',
    make: () => scure('xverse', xverse, 'p2wpkh'),
  },
  {
    name: 'Xverse, nested segwit payments',
    adapter: 'xverse',
    code: '@scure/btc-signer 1.6.0: the key before the tweak, otherwise the key after it',
    make: () => scure('xverse', xverse, 'p2sh-p2wpkh'),
  },
  {
    name: 'UniSat',
    adapter: 'unisat',
    code: "the extension's keyring: @unisat/keyring-service 1.7.0, @unisat/wallet-bitcoin 1.3.0",
    make: unisat,
  },
  {
    name: 'Leather',
    adapter: 'leather',
    code: '@scure/btc-signer 1.6.0: only the key before the tweak',
    make: () => scure('leather', leather, 'p2wpkh'),
  },
  {
    name: 'bitcoinjs-lib 6',
    adapter: null,
    code: 'bitcoinjs-lib 6.1.7, ecpair 3.0.0',
    make: () => bitcoinjs('bitcoinjs-6'),
  },
  {
    name: 'bitcoinjs-lib 7',
    adapter: null,
    code: 'bitcoinjs-lib 7.0.1, ecpair 3.0.0',
    make: () => bitcoinjs('bitcoinjs-7'),
  },
  {
    name: 'Bitcoin Knots',
    adapter: 'by-hand',
    code: 'walletprocesspsbt and signmessage of the node in `npm run bitcoind`',
    make: core,
  },
  {
    name: 'BDK',
    adapter: 'by-hand',
    code: 'bdkpython 3.1.1, by file, with the origins of its keys',
    make: () => byPython('bdk_wallet.py'),
  },
  {
    name: 'embit (SeedSigner, Krux, Specter-DIY)',
    adapter: null,
    code: 'embit 0.8.0, by file, with the origins of its keys',
    make: () => byPython('embit_wallet.py'),
  },
]

/** Wallets that can make every trade according to the SDK's table. matrix.test.ts verifies the table. */
export const ABLE_ENGINES = ENGINES.filter(
  ({ name }) => Object.keys(MATRIX.find((each) => each.name === name)?.fails ?? {}).length === 0,
)
