import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodePsbt } from '@ordbook/bitcoin/psbt.ts'
import { type SigningRequest, type Wallet, WalletRefused } from '@ordbook/sdk'
import type { KeySource } from '../config.ts'
import { writeOwn } from '../own-files.ts'

type Files = Extract<KeySource, { kind: 'files' }>

const POLL_MILLISECONDS = 300

/** Part of the names of a request and its response, so that concurrent runs use different files. */
const uniquePart = () => bytesToHex(randomBytes(4))

/** A wallet that writes PSBTs to a folder and waits for the signed files. `note` prints instructions. */
export function fileWallet(source: Files, network: AddressNetwork, note: (text: string) => void): Wallet {
  const { folder, waitSeconds } = source
  const path = (name: string) => join(folder, name)

  /** Writes a request file, waits for the response file, and removes both. */
  const exchange = async (
    requests: readonly { name: string; answer: string; text: string; about: string }[],
  ) => {
    for (const { name, answer, text, about } of requests) {
      // Write atomically, because a signer may be watching the folder.
      writeOwn(path(name), `${text}\n`)
      note(`${about}: sign ${path(name)}, and save the result as ${path(answer)}`)
    }
    try {
      return await responsesTo(requests)
    } finally {
      for (const { name, answer } of requests) {
        rmSync(path(name), { force: true })
        rmSync(path(answer), { force: true })
      }
    }
  }

  const responsesTo = async (requests: readonly { answer: string }[]) => {
    const deadline = Date.now() + waitSeconds * 1000
    const texts: string[] = []
    for (const { answer } of requests) {
      // Another program writes the response, so wait until it is complete and unchanged between two reads.
      let previous = ''
      for (;;) {
        const text = existsSync(path(answer)) ? textOf(readFileSync(path(answer)), answer) : ''
        if (text !== '' && text === previous) break
        previous = text
        if (Date.now() > deadline)
          throw new WalletRefused(
            existsSync(path(answer))
              ? `${path(answer)} is incomplete after ${waitSeconds} seconds`
              : `${path(answer)} did not appear within ${waitSeconds} seconds`,
          )
        await sleep(POLL_MILLISECONDS)
      }
      texts.push(previous)
    }
    return texts
  }
  const signPsbts = (requests: readonly SigningRequest[]) => {
    const unique = uniquePart()
    return exchange(
      requests.map(({ psbtBase64, inputsToSign }, n) => ({
        name: `${n + 1}-of-${requests.length}-${unique}.psbt`,
        answer: `${n + 1}-of-${requests.length}-${unique}.signed.psbt`,
        text: psbtBase64,
        about: inputsToSign
          .map(({ address, signingIndexes }) => `inputs ${signingIndexes.join(', ')} as ${address}`)
          .join('; '),
      })),
    )
  }
  return {
    ordinalsAddress: source.ordinalsAddress,
    paymentAddress: source.paymentAddress,
    ordinalsPublicKey: source.ordinalsPublicKey,
    paymentPublicKey: source.paymentPublicKey,
    ordinalsScript: scriptOfAddress(source.ordinalsAddress, network),
    paymentScript: scriptOfAddress(source.paymentAddress, network),
    signPsbts,
    signPsbt: async (psbtBase64, inputsToSign) => (await signPsbts([{ psbtBase64, inputsToSign }]))[0]!,
    signMessage: async (address, message) => {
      const name = `message-${address}-${uniquePart()}`
      const about = `a message by ${address} (BIP-322)`
      const [signature] = await exchange([
        { name: `${name}.txt`, answer: `${name}.signature`, text: message, about },
      ])
      return signature!
    },
  }
}

/** Returns the PSBT in a response file: a binary PSBT as base64, text unchanged. Returns an empty string while the file is incomplete. */
function textOf(bytes: Uint8Array, name: string): string {
  const isBytes = bytes[0] === 0x70 && bytes[4] === 0xff
  const text = isBytes ? base64OfBytes(bytes) : new TextDecoder().decode(bytes).replace(/\s/g, '')
  const isHex = /^([0-9a-f]{2})+$/i.test(text)
  if (!isHex && !bytesOfBase64(text)) return ''
  if (!name.endsWith('.psbt')) return text
  const base64 = isHex ? base64OfBytes(hexToBytes(text)) : text
  try {
    decodePsbt(base64)
    return base64
  } catch {
    return ''
  }
}
