import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AddressNetwork, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { base64OfBytes, bytesOfBase64, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodePsbt } from '@ordbook/bitcoin/psbt.ts'
import { type SigningRequest, type Wallet, WalletRefused } from '@ordbook/sdk'
import type { KeySource } from '../config.ts'
import { writeOwn } from '../own-files.ts'

type Files = Extract<KeySource, { kind: 'files' }>

const POLL_MILLISECONDS = 300

/** A wallet that writes PSBTs to a folder and waits for the signed files. `note` prints instructions. */
export function fileWallet(source: Files, network: AddressNetwork, note: (text: string) => void): Wallet {
  const { folder, waitSeconds } = source
  const path = (name: string) => join(folder, name)

  /** Writes a request file, waits for the response file, and removes both. */
  const exchange = async (
    requests: readonly { name: string; answer: string; text: string; about: string }[],
  ) => {
    for (const { name, answer, text, about } of requests) {
      rmSync(path(answer), { force: true })
      // Write atomically, because a signer may be watching the folder.
      writeOwn(path(name), `${text}\n`)
      note(`${about}: sign ${path(name)}, and save the result as ${path(answer)}`)
    }
    const deadline = Date.now() + waitSeconds * 1000
    const texts: string[] = []
    for (const { name, answer } of requests) {
      // Another program writes the response, so wait until it is complete and unchanged between two reads.
      let previous = ''
      for (;;) {
        const text = existsSync(path(answer)) ? textOf(readFileSync(path(answer)), answer) : ''
        if (text !== '' && text === previous) break
        previous = text
        if (Date.now() > deadline)
          throw new WalletRefused(
            existsSync(path(answer))
              ? `${path(answer)} is incomplete after ${waitSeconds} seconds: save the signed result again`
              : `${path(answer)} did not appear within ${waitSeconds} seconds`,
          )
        await sleep(POLL_MILLISECONDS)
      }
      texts.push(previous)
      rmSync(path(name), { force: true })
      rmSync(path(answer), { force: true })
    }
    return texts
  }
  const signPsbts = (requests: readonly SigningRequest[]) =>
    exchange(
      requests.map(({ psbtBase64, inputsToSign }, n) => ({
        name: `${n + 1}-of-${requests.length}.psbt`,
        answer: `${n + 1}-of-${requests.length}.signed.psbt`,
        text: psbtBase64,
        about: inputsToSign
          .map(({ address, signingIndexes }) => `inputs ${signingIndexes.join(', ')} as ${address}`)
          .join('; '),
      })),
    )
  return {
    ordinalsAddress: source.ordinalsAddress,
    paymentAddress: source.paymentAddress,
    ordinalsPublicKey: source.ordinalsPublicKey,
    paymentPublicKey: source.paymentPublicKey,
    ordinalsScript: scriptOfAddress(source.ordinalsAddress, network),
    paymentScript: scriptOfAddress(source.paymentAddress, network),
    signPsbts,
    signPsbt: async (psbtBase64, inputsToSign) => (await signPsbts([{ psbtBase64, inputsToSign }]))[0]!,
    signMessage: async (address, message) =>
      (
        await exchange([
          {
            name: `message-${address}.txt`,
            answer: `message-${address}.signature`,
            text: message,
            about: `a message by ${address} (BIP-322)`,
          },
        ])
      )[0]!,
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
