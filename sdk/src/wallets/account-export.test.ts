import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WalletRefused } from '../errors.ts'
import { accountsFrom, readAccountKeys } from './account-export.ts'

/** Account keys of "abandon abandon … about" from BIP-49, BIP-84 and BIP-86. The master fingerprint is 73c5da0a. */
const TAPROOT =
  'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ'
const SEGWIT =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const NESTED_TEST =
  'tpubDD7tXK8KeQ3YY83yWq755fHY2JW8Ha8Q765tknUM5rSvjPcGWfUppDFMpQ1ScziKfW3ZNtZvAD7M3u7bSs7HofjTD3KP3YxPK7X6hwV8Rk2'

const EXPECTED = {
  ordinals: {
    address: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
    publicKey: '03cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115',
    origin: '73c5da0a/86h/0h/0h/0/0',
  },
  payment: {
    address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    publicKey: '0330d54fd0dd420a6e5f8d3624f5f3482cae350f79d5f0753bf5beef9c2d91af3c',
    origin: '73c5da0a/84h/0h/0h/0/0',
  },
}

const read = (text: string, fingerprint?: string) =>
  accountsFrom(readAccountKeys(text, 'mainnet', fingerprint), 0, 'mainnet')

describe('readAccountKeys', () => {
  it.each([
    ['descriptors', `tr([73c5da0a/86h/0h/0h]${TAPROOT}/0/*)\nwpkh([73c5da0a/84'/0'/0']${SEGWIT}/<0;1>/*)`],
    ['keys with their origins', `[73c5da0a/84h/0h/0h]${SEGWIT}\n[73c5da0a/86h/0h/0h]${TAPROOT}`],
    [
      'listdescriptors of Bitcoin Core',
      JSON.stringify({
        wallet_name: 'w',
        descriptors: [
          { desc: `tr([73c5da0a/86h/0h/0h]${TAPROOT}/1/*)`, active: true, internal: true },
          { desc: `tr([73c5da0a/86h/0h/0h]${TAPROOT}/0/*)`, active: true, internal: false },
          { desc: `pkh([73c5da0a/44h/0h/0h]${TAPROOT}/0/*)`, active: true, internal: false },
          { desc: `wpkh([73c5da0a/84h/0h/0h]${SEGWIT}/0/*)`, active: true, internal: false },
        ],
      }),
    ],
    [
      'a generic export of a Coldcard',
      JSON.stringify({
        chain: 'BTC',
        xfp: '73C5DA0A',
        account: 0,
        xpub: TAPROOT,
        bip48_1: { name: 'p2sh-p2wsh', xfp: '00000001', deriv: "m/48'/0'/0'/1'", xpub: TAPROOT },
        bip84: { name: 'p2wpkh', xfp: '00000002', deriv: "m/84'/0'/0'", xpub: SEGWIT, first: 'bc1q' },
        bip86: { name: 'p2tr', xfp: '00000003', deriv: "m/86'/0'/0'", xpub: TAPROOT },
      }),
    ],
  ])('parses %s', (_, text) => {
    expect(read(text)).toEqual(EXPECTED)
  })

  it('parses keys without an origin', () => {
    expect(read(`${TAPROOT}\n${SEGWIT}`, '73c5da0a')).toEqual(EXPECTED)
    expect(() => read(TAPROOT)).toThrow(/fingerprint/)
  })

  it('derives a single address without a payment key', () => {
    const keys = readAccountKeys(`tr([73c5da0a/86h/0h/0h]${TAPROOT}/0/*)`, 'mainnet')
    const { ordinals, payment } = accountsFrom(keys, 1, 'mainnet')
    expect(payment).toEqual(ordinals)
    expect(ordinals).toMatchObject({
      address: 'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh',
      origin: '73c5da0a/86h/0h/0h/0/1',
    })
  })

  it('derives nested segwit addresses of test networks', () => {
    const [key] = readAccountKeys(`sh(wpkh([73c5da0a/49h/1h/0h]${NESTED_TEST}/0/*))`, 'testnet')
    expect(key!.kind).toBe('p2sh-p2wpkh')
    const taproot = readAccountKeys(`tr([73c5da0a/86h/1h/0h]${NESTED_TEST}/0/*)`, 'testnet')
    expect(accountsFrom([...taproot, key!], 0, 'testnet').payment.address).toBe(
      '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2',
    )
  })

  it.each([
    [
      'a private key',
      `tr(${'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi'}/0/*)`,
      /private key/,
    ],
    ['a key of another network', `tr([73c5da0a/86h/1h/0h]${NESTED_TEST}/0/*)`, /mainnet/],
    ['a damaged key', `tr([73c5da0a/86h/0h/0h]${TAPROOT.replace('Wv', 'WW')}/0/*)`, /damaged/],
    ['a wrong checksum', `tr([73c5da0a/86h/0h/0h]${TAPROOT}/0/*)#89f8spxm`, /checksum/],
    ['no taproot key', `wpkh([73c5da0a/84h/0h/0h]${SEGWIT}/0/*)`, /taproot/],
    ['change addresses only', `tr([73c5da0a/86h/0h/0h]${TAPROOT}/1/*)`, /No account key/],
    ['hardened addresses', `tr([73c5da0a/86h/0h/0h]${TAPROOT}/0/*h)`, /No account key/],
    ['damaged JSON', '{"xfp":', /JSON/],
    ['words', 'abandon abandon about', /No account key/],
  ])('rejects %s', (_, text, reason) => {
    expect(() => read(text)).toThrow(WalletRefused)
    expect(() => read(text)).toThrow(reason)
  })

  it('rejects a descriptor with an invalid checksum', () => {
    const origin = '[d34db33f/84h/0h/0h]'
    const xpub =
      'xpub6DJ2dNUysrn5Vt36jH2KLBT2i1auw1tTSSomg8PhqNiUtx8QX2SvC9nrHu81fT41fvDUnhMjEzQgXnQjKEu3oaqMSzhSrHMxyyoEAmUHQbY'
    const read = (checksum: string) => readAccountKeys(`wpkh(${origin}${xpub}/0/*)#${checksum}`, 'mainnet')
    expect(read('cjjspncu')).toHaveLength(1)
    expect(() => read('cjjspncv')).toThrow(/checksum/)
  })

  it('throws only WalletRefused on invalid input', () => {
    const piece = fc.constantFrom(
      'tr(',
      'wpkh(',
      '[73c5da0a',
      '/86h',
      ']',
      TAPROOT,
      '/0/*',
      ')',
      '#',
      '{"',
      '":',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 8 }), (pieces) => {
        try {
          readAccountKeys(pieces.join(''), 'mainnet')
        } catch (error) {
          expect(error).toBeInstanceOf(WalletRefused)
        }
      }),
    )
  })
})
