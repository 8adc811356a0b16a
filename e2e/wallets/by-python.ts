import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { messagePsbtOf } from '@ordbook/bitcoin/message-psbt.ts'
import { Transaction } from '@scure/btc-signer'
import { kept } from './kept.ts'
import { messagesBy, type Owner, ownerBy } from './owners.ts'

/** Runs a Python program in this directory. Returns its output. */
export const python = (program: string, ...words: string[]): string =>
  execFileSync(join(kept, 'python/bin/python'), [join(import.meta.dirname, program), ...words], {
    encoding: 'utf8',
    timeout: 60_000,
  }).trim()

const HARDENED = 0x80000000
const PATH = [86 + HARDENED, 1 + HARDENED, HARDENED, 0, 0]

/**
 * A wallet that finds its keys by the key origins in a PSBT, so the application adds them. It cannot sign messages, and signs in with the
 * challenge's PSBT.
 */
export function byPython(program: 'bdk_wallet.py' | 'embit_wallet.py'): Owner {
  const seed = randomBytes(16).toString('hex')
  const [fingerprint, internalKey, privateKey] = python(program, 'describe', seed).split(' ')
  const key = hexToBytes(internalKey!)
  const der = { fingerprint: Number.parseInt(fingerprint!, 16), path: PATH }
  const sign = (base64: string, indexes: readonly number[]) => {
    const psbt = Transaction.fromPSBT(bytesOfBase64(base64)!, {
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
      allowUnknownVersion: true,
      disableScriptCheck: true,
    })
    for (const index of indexes) {
      const hashes = (psbt.getInput(index).tapBip32Derivation ?? []).flatMap(([, entry]) => entry.hashes)
      psbt.updateInput(index, { tapBip32Derivation: undefined }, true)
      psbt.updateInput(index, { tapBip32Derivation: [[key, { hashes, der }]] }, true)
    }
    return python(program, 'sign', seed, base64OfBytes(psbt.toPSBT(0)))
  }
  const owner = ownerBy(
    key,
    (base64, inputs) =>
      sign(
        base64,
        inputs.map(({ index }) => index),
      ),
    (message, script) => bytesToHex(bytesOfBase64(sign(messagePsbtOf(script, message, key), [0]))!),
  )
  const signMessage = messagesBy(hexToBytes(privateKey!))
  return { ...owner, signMessage: async (_, message) => signMessage(message, owner.wallet.ordinalsScript) }
}
