import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { addressOfScript, keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { signMessage } from '@ordbook/bitcoin/bip322.ts'
import { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf, tweakPrivateKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import { callRpc } from '@ordbook/devnet/regtest.ts'
import type { InputToSign, Wallet } from '@ordbook/sdk/wallet.ts'
import { Transaction } from '@scure/btc-signer'
import type { EscrowOwner } from '../support/escrow-kit.ts'
import type { TestNode } from '../support/node.ts'

/** The folder in which scripts/test-wallets keeps the wallets' code. */
const kept = process.env.ORDBOOK_TEST_WALLETS ?? ''
const load = createRequire(join(kept, 'package.json'))

interface Asked extends InputToSign {
  index: number
}
type SignMessage = (message: string, script: Uint8Array) => Promise<string> | string
type Sign = (psbtBase64: string, inputs: readonly Asked[]) => Promise<string> | string

/** A wallet with one taproot address for everything, that signs with code from outside this repository. */
function ownerBy(internalKey: Uint8Array, sign: Sign, signMessage: SignMessage): EscrowOwner {
  const script = scriptOfPublicKey(internalKey, 'p2tr')
  const address = addressOfScript(script, 'regtest')!
  const publicKey = bytesToHex(internalKey)
  const wallet: Wallet = {
    ordinalsAddress: address,
    paymentAddress: address,
    ordinalsPublicKey: publicKey,
    paymentPublicKey: publicKey,
    ordinalsScript: script,
    paymentScript: script,
    signMessage: async (_address, message) => signMessage(message, script),
    signPsbt: async (psbtBase64, inputs) =>
      sign(
        psbtBase64,
        inputs.flatMap((input) => input.signingIndexes.map((index) => ({ ...input, index }))),
      ),
  }
  return { wallet, spend: keySpendOf(script, internalKey) }
}

/** Signs in with the key: these wallets' transactions are under test, not their messages. */
const messagesBy =
  (key: Uint8Array): SignMessage =>
  (message, script) =>
    signMessage(script, message, key)

const freshKey = () => new Uint8Array(randomBytes(32))
const sighashes = ({ sigHash }: Asked) => (sigHash === undefined ? undefined : [sigHash])

/** @scure/btc-signer 1.6, as Leather calls it: the key before the tweak for every input. */
function scure(retriesTweaked: boolean): EscrowOwner {
  const { Transaction: Old } = load('scure')
  const key = freshKey()
  return ownerBy(
    xOnlyKeyOf(key),
    (base64, inputs) => {
      const psbt = Old.fromPSBT(bytesOfBase64(base64), {
        allowUnknownInputs: true,
        allowUnknownOutputs: true,
      })
      for (const each of inputs)
        try {
          psbt.signIdx(key, each.index, sighashes(each))
        } catch (error) {
          if (!retriesTweaked) throw error
          psbt.signIdx(tweakPrivateKey(key), each.index, sighashes(each))
        }
      return base64OfBytes(psbt.toPSBT(0))
    },
    messagesBy(key),
  )
}

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
      for (const each of inputs) {
        const signer = signerOf(each.disableTweakSigner ? key : tweakPrivateKey(key))
        psbt.signTaprootInput(each.index, signer, undefined, sighashes(each))
      }
      return psbt.toBase64()
    },
    messagesBy(key),
  )
}

/** The extension's keyring, asked as its adapter asks it. */
function unisat(): EscrowOwner {
  const { SimpleKeyring } = load('@unisat/keyring-service')
  const { bitcoin } = load('@unisat/wallet-bitcoin')
  const key = freshKey()
  const keyring = new SimpleKeyring([bytesToHex(key)])
  const publicKey = bytesToHex(publicKeyOf(key))
  return ownerBy(
    xOnlyKeyOf(key),
    async (base64, inputs) => {
      const psbt = bitcoin.Psbt.fromBase64(base64, { network: bitcoin.networks.regtest })
      const toSign = inputs.map((each) => ({
        index: each.index,
        publicKey,
        ...(each.sigHash === undefined ? {} : { sighashTypes: [each.sigHash] }),
        ...(each.disableTweakSigner ? { disableTweakSigner: true } : {}),
      }))
      return (await keyring.signTransaction(psbt, toSign)).toBase64()
    },
    messagesBy(key),
  )
}

const CORE_NAMES: Record<number, string> = {
  [SIGHASH.DEFAULT]: 'DEFAULT',
  [SIGHASH.ALL]: 'ALL',
  [SIGHASH.ALL_ANYONECANPAY]: 'ALL|ANYONECANPAY',
  [SIGHASH.SINGLE_ANYONECANPAY]: 'SINGLE|ANYONECANPAY',
}

/** The wallet inside of the node, with the descriptors that it makes itself. */
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

/** A BDK wallet. It signs by the origins that a PSBT names, so its application writes its own into the entry of its key. */
function bdk(): EscrowOwner {
  const seed = randomBytes(16).toString('hex')
  const run = (...words: string[]) =>
    execFileSync(join(kept, 'python/bin/python'), [join(import.meta.dirname, 'bdk.py'), seed, ...words], {
      encoding: 'utf8',
      timeout: 60_000,
    }).trim()
  const [fingerprint, internalKey, privateKey] = run('describe').split(' ')
  const key = hexToBytes(internalKey!)
  const der = {
    fingerprint: Number.parseInt(fingerprint!, 16),
    path: [86, 1, 0].map((n) => n + 0x80000000).concat(0, 0),
  }
  return ownerBy(
    key,
    (base64) => {
      const psbt = Transaction.fromPSBT(bytesOfBase64(base64)!, {
        allowUnknownInputs: true,
        allowUnknownOutputs: true,
        disableScriptCheck: true,
      })
      for (let index = 0; index < psbt.inputsLength; index++) {
        const known = psbt.getInput(index).tapBip32Derivation
        if (!known) continue
        const hashes = known.flatMap(([, entry]) => entry.hashes)
        psbt.updateInput(index, { tapBip32Derivation: undefined }, true)
        psbt.updateInput(index, { tapBip32Derivation: [[key, { hashes, der }]] }, true)
      }
      return run('sign', base64OfBytes(psbt.toPSBT(0)))
    },
    messagesBy(hexToBytes(privateKey!)),
  )
}

export const ENGINES: Record<string, (node: TestNode) => EscrowOwner | Promise<EscrowOwner>> = {
  Leather: () => scure(false),
  Xverse: () => scure(true),
  UniSat: unisat,
  'bitcoinjs-lib 6': () => bitcoinjs('bitcoinjs-6'),
  'bitcoinjs-lib 7': () => bitcoinjs('bitcoinjs-7'),
  'the wallet of the node': core,
  BDK: bdk,
}
