import { Transaction, WIF } from '@scure/btc-signer'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { p2wpkhScript, scriptOfAddress, scriptOfPublicKey } from './address.ts'
import { publicKeyIn, signMessage, unsupportedForm, verifyMessage, virtualTransactions } from './bip322.ts'
import { base64OfBytes, bytesOfBase64, bytesToHex, concatBytes, hexToBytes, varBytes } from './bytes.ts'
import { publicKeyOf, signEcdsa, signSchnorr, tweakPrivateKey } from './keys.ts'
import { messagePsbtOf } from './message-psbt.ts'
import { decodePsbt } from './psbt.ts'
import { p2wpkhScriptCode, SIGHASH, segwitSighash, taprootSighash } from './sighash.ts'
import { hexOfTransaction, type Tx } from './transaction.ts'

/** Key and addresses of the test vectors of BIP-322 (P2WPKH) and its P2TR reference signatures. */
const KEY = WIF().decode('L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k')
const P2WPKH = scriptOfAddress('bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l', 'mainnet')
const P2TR = scriptOfAddress('bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3', 'mainnet')
const OTHER = scriptOfPublicKey(publicKeyOf(new Uint8Array(32).fill(1)), 'p2tr')

describe('BIP-322', () => {
  it.each([
    [
      '',
      'AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
    ],
    [
      '',
      'AkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
    ],
    [
      'Hello World',
      'AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=',
    ],
    [
      'Hello World',
      'AkgwRQIhAOzyynlqt93lOKJr+wmmxIens//zPzl9tqIOua93wO6MAiBi5n5EyAcPScOjf1lAqIUIQtr3zKNeavYabHyR8eGhowEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy',
    ],
  ])('accepts the published P2WPKH signature of %j', (message, signature) => {
    expect(verifyMessage(P2WPKH, message, signature)).toBe(true)
    expect(verifyMessage(P2WPKH, message, Buffer.from(signature, 'base64').toString('hex'))).toBe(true)
    expect(
      verifyMessage(P2WPKH, message, Buffer.from(signature, 'base64').toString('hex').toUpperCase()),
    ).toBe(true)
    expect(verifyMessage(P2WPKH, `${message}!`, signature)).toBe(false)
    expect(verifyMessage(P2TR, message, signature)).toBe(false)
  })

  it('accepts the published P2TR signature', () => {
    const signature =
      'AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=='
    expect(verifyMessage(P2TR, 'Hello World', signature)).toBe(true)
    const hex = Buffer.from(signature, 'base64').toString('hex')
    expect(verifyMessage(P2TR, 'Hello World', `${hex.slice(0, -2)}03`)).toBe(false)
  })

  it('verifies its own signatures for every address type', () => {
    fc.assert(
      fc.property(
        fc
          .uint8Array({ minLength: 32, maxLength: 32 })
          .filter((key) => key.some((byte) => byte > 0) && key[0]! < 0xff),
        fc.string(),
        fc.constantFrom('p2tr' as const, 'p2wpkh' as const, 'p2sh-p2wpkh' as const),
        fc.nat(),
        (key, message, kind, flip) => {
          const script = scriptOfPublicKey(publicKeyOf(key), kind)
          const signature = signMessage(script, message, key)
          expect(verifyMessage(script, message, signature)).toBe(true)
          expect(verifyMessage(script, `${message} `, signature)).toBe(false)
          const bytes = hexToBytes(signature)
          bytes[flip % bytes.length]! ^= 1
          expect(verifyMessage(script, message, Buffer.from(bytes).toString('hex'))).toBe(false)
        },
      ),
      { numRuns: 30 },
    )
  })

  const KINDS = ['p2tr', 'p2wpkh', 'p2sh-p2wpkh'] as const

  it.each(KINDS)('accepts %s signatures with and without a prefix', (kind) => {
    const publicKey = publicKeyOf(KEY)
    const script = scriptOfPublicKey(publicKey, kind)
    const simple = base64OfBytes(hexToBytes(signMessage(script, 'Hello World', KEY)))
    const psbt = Transaction.fromPSBT(bytesOfBase64(messagePsbtOf(script, 'Hello World', publicKey))!, {
      allowUnknownVersion: true,
      allowUnknownOutputs: true,
    })
    psbt.sign(KEY)
    const unfinished = base64OfBytes(psbt.toPSBT(0))
    psbt.finalize()
    const full = base64OfBytes(hexToBytes(psbt.hex))
    const accepts = (signature: string) => verifyMessage(script, 'Hello World', signature)
    expect([simple, `smp${simple}`, full, `ful${full}`].map(accepts)).toEqual([true, true, true, true])
    const others = [
      `ful${simple}`,
      `smp${full}`,
      `pof${full}`,
      `pof${simple}`,
      `ful${unfinished}`,
      `smpsmp${simple}`,
    ]
    expect(others.map(accepts)).toEqual(others.map(() => false))
    if (kind !== 'p2tr') expect(publicKeyIn(`smp${simple}`)).toEqual(publicKey)
    expect(unsupportedForm(script, `pof${full}`)).toContain('proof of funds')
    expect(unsupportedForm(script, simple)).toBe(null)
  })

  it.each(KINDS)('accepts a %s signature as a transaction or PSBT', (kind) => {
    const publicKey = publicKeyOf(KEY)
    const script = scriptOfPublicKey(publicKey, kind)
    const psbt = Transaction.fromPSBT(bytesOfBase64(messagePsbtOf(script, 'Hello World', publicKey))!, {
      allowUnknownVersion: true,
      allowUnknownOutputs: true,
    })
    expect(verifyMessage(script, 'Hello World', bytesToHex(psbt.toPSBT(0)))).toBe(false)
    psbt.sign(KEY)
    const forms = [bytesToHex(psbt.toPSBT(0))]
    psbt.finalize()
    forms.push(bytesToHex(psbt.toPSBT(0)), psbt.hex)
    for (const form of forms) {
      expect(verifyMessage(script, 'Hello World', form)).toBe(true)
      expect(verifyMessage(script, 'Hello World', base64OfBytes(hexToBytes(form)))).toBe(true)
      expect(verifyMessage(script, 'Hello World!', form)).toBe(false)
      expect(verifyMessage(OTHER, 'Hello World', form)).toBe(false)
      expect(publicKeyIn(form)).toEqual(kind === 'p2tr' ? null : publicKey)
    }
  })

  it.each(KINDS)('accepts a %s transaction of version 2', (kind) => {
    const script = scriptOfPublicKey(publicKeyOf(KEY), kind)
    const { toSign } = virtualTransactions('Hello World', script)
    const sign = (change: (tx: Tx) => void) => {
      const tx = structuredClone(toSign)
      change(tx)
      tx.inputs[0]!.witness = witnessOf(tx, script)
      if (kind === 'p2sh-p2wpkh') tx.inputs[0]!.scriptSig = varBytes(p2wpkhScript(publicKeyOf(KEY)))
      return tx
    }
    const verify = (tx: Tx) => verifyMessage(script, 'Hello World', hexOfTransaction(tx))
    expect(verify(sign(() => {}))).toBe(true)
    expect(verify(sign((tx) => void (tx.version = 2)))).toBe(true)
    for (const sequence of [1, 0xffffffff])
      expect(verify(sign((tx) => void (tx.inputs[0]!.sequence = sequence)))).toBe(true)
    expect(verify(sign((tx) => void (tx.locktime = 1)))).toBe(true)
    expect(verify({ ...sign(() => {}), version: 2 })).toBe(false)
    for (const change of [
      (tx: Tx) => void (tx.version = 1),
      (tx: Tx) => void (tx.inputs[0]!.vout = 1),
      (tx: Tx) => void (tx.outputs[0]!.valueSats = 1),
      (tx: Tx) => void tx.outputs.push({ valueSats: 0, script: Uint8Array.of(0x6a) }),
      (tx: Tx) => void tx.outputs.pop(),
    ])
      expect(verify(sign(change)), String(change)).toBe(false)
    const bare = sign(() => {})
    bare.inputs[0]!.scriptSig = kind === 'p2sh-p2wpkh' ? new Uint8Array() : Uint8Array.of(0)
    expect(verify(bare)).toBe(false)
  })

  function witnessOf(tx: Tx, script: Uint8Array): Uint8Array[] {
    const spent = [{ valueSats: 0, script }]
    if (script[0] === 0x51)
      return [signSchnorr(taprootSighash(tx, 0, spent, SIGHASH.DEFAULT), tweakPrivateKey(KEY))]
    const key = publicKeyOf(KEY)
    const hash = segwitSighash(tx, 0, p2wpkhScriptCode(key), 0, SIGHASH.ALL)
    return [concatBytes(signEcdsa(hash, KEY), Uint8Array.of(SIGHASH.ALL)), key]
  }

  it('rejects an invalid PSBT', () => {
    const publicKey = publicKeyOf(KEY).slice()
    const script = scriptOfPublicKey(publicKey, 'p2wpkh')
    const raw = decodePsbt(messagePsbtOf(script, '', publicKey))
    const signature = witnessOf(virtualTransactions('', script).toSign, script)[0]!.slice()
    const encoded = () => bytesToHex(RawPSBTV0.encode(raw))
    raw.inputs[0]!.partialSig = [[publicKey, signature]]
    expect(verifyMessage(script, '', encoded())).toBe(true)
    raw.inputs[0]!.bip32Derivation = [[publicKey, { fingerprint: 0, path: Array(600).fill(0) }]]
    expect(encoded().length / 2).toBeLessThan(3000)
    expect(verifyMessage(script, '', encoded())).toBe(true)
    raw.inputs[0]!.bip32Derivation = [[publicKey, { fingerprint: 0, path: Array(750).fill(0) }]]
    expect(verifyMessage(script, '', encoded())).toBe(false)
    raw.inputs[0]!.partialSig = [
      [publicKeyOf(new Uint8Array(32).fill(1)).slice(), signature],
      [publicKey, signature],
    ]
    expect(verifyMessage(script, '', encoded())).toBe(false)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(verifyMessage(script, '', `70736274ff${bytesToHex(bytes)}`)).toBe(false)
        expect(verifyMessage(script, '', `00000000${bytesToHex(bytes)}`)).toBe(false)
      }),
    )
  })

  it.each(KINDS)('accepts a %s PSBT with or without the message', (kind) => {
    const publicKey = publicKeyOf(KEY)
    const script = scriptOfPublicKey(publicKey, kind)
    const message = 'Grüße an alle 😄'
    const psbt = Transaction.fromPSBT(bytesOfBase64(messagePsbtOf(script, message, publicKey))!, {
      allowUnknownVersion: true,
      allowUnknownOutputs: true,
    })
    psbt.sign(KEY)
    const raw = RawPSBTV0.decode(psbt.toPSBT(0))
    // PSBT_GLOBAL_GENERIC_SIGNED_MESSAGE: one key byte, 0x09, and the text in UTF-8 (BIP-322).
    const field = concatBytes(Uint8Array.of(1, 9), varBytes(new TextEncoder().encode(message)))
    expect(bytesToHex(psbt.toPSBT(0))).toContain(bytesToHex(field))
    const verify = () => verifyMessage(script, message, base64OfBytes(RawPSBTV0.encode(raw)))
    expect(verify()).toBe(true)
    raw.global.genericSignedMessage = new TextEncoder().encode(`${message}!`)
    expect(verify()).toBe(false)
    delete raw.global.genericSignedMessage
    expect(verify()).toBe(true)
  })

  it('returns false for invalid input', () => {
    fc.assert(
      fc.property(fc.string(), (signature) => {
        expect(verifyMessage(P2TR, 'x', signature)).toBe(false)
        expect(verifyMessage(P2WPKH, 'x', signature)).toBe(false)
      }),
    )
    expect(verifyMessage(scriptOfPublicKey(publicKeyOf(KEY), 'p2wpkh'), '', '')).toBe(false)
  })
})
