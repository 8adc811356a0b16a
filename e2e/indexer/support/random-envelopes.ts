import { brotliCompressSync, gzipSync } from 'node:zlib'
import { concatBytes, littleEndian } from '@ordbook/bitcoin/bytes.ts'
import { bytesOfInscriptionId } from '@ordbook/bitcoin/inscription-id.ts'
import { PropertyMaker } from './mutated-properties.ts'
import type { Dice } from './random-chain.ts'

/** Facts that make an envelope's references resolve. */
export interface EnvelopeContext {
  /** Inscriptions that may be in the inputs. */
  inside: readonly string[]
  /** Earlier inscriptions anywhere. */
  known: readonly string[]
  /** Value of the input in sats. */
  valueSats: number
  /** Whether a node evaluates the script, so that it must be valid. */
  isEvaluated: boolean
}

type Field = [tag: Uint8Array, value: Uint8Array]

const utf8 = (text: string) => new TextEncoder().encode(text)
const OPEN = Uint8Array.of(0x00, 0x63, 3, 0x6f, 0x72, 0x64)
const CLOSE = Uint8Array.of(0x68)
const NOT_UTF8 = Uint8Array.of(0x61, 0xff, 0xfe)
const CONTENT_TYPES = [
  ...[
    'text/plain',
    'text/plain',
    'text/html;charset=utf-8',
    'image/png',
    'image/svg+xml',
    'application/json',
  ],
  ...['video/mp4', '', ' ', 'text/plain\n', 'text/plain;é', 'x'.repeat(300)],
].map(utf8)
const ENCODINGS = [
  'br',
  'br',
  'gzip',
  'gzip',
  'deflate',
  'zstd',
  'identity',
  'BR',
  'br, gzip',
  '',
  'a\tb',
  'é',
  '\u0005',
].map(utf8)

/** Makes envelopes with random fields, valid and invalid ones (ord handbook, "Inscriptions"). */
export class EnvelopeMaker {
  private readonly dice: Dice
  private readonly properties: PropertyMaker
  private salt = 0

  constructor(dice: Dice) {
    this.dice = dice
    this.properties = new PropertyMaker(dice)
  }

  /** Returns the script of one or more envelopes. */
  make(context: EnvelopeContext, most = 3): Uint8Array {
    const { dice } = this
    const parts: Uint8Array[] = []
    for (let n = 1 + (dice.chance(25) ? dice.roll(most) : 0); n > 0; n--) {
      const stutter = dice.chance(4) ? dice.pick([[0], [0, 0x63], [0, 0]]) : []
      if (!context.isEvaluated) parts.push(Uint8Array.from(stutter), this.envelope(context))
      else if (stutter.length === 0) parts.push(this.envelope(context))
      else parts.push(Uint8Array.of(0), this.envelope(context), Uint8Array.of(0x75))
    }
    if (!context.isEvaluated && dice.chance(2)) parts.push(Uint8Array.of(0x4c))
    return concatBytes(...parts)
  }

  /** Returns the script of valid envelopes with only a pointer or parents. */
  plain(inscriptions: readonly { pointer?: number; parents?: readonly string[] }[]): Uint8Array {
    const push = (bytes: Uint8Array) => this.push(bytes, true)
    return concatBytes(
      ...inscriptions.map(({ pointer, parents = [] }) =>
        concatBytes(
          OPEN,
          ...(pointer === undefined ? [] : [push(Uint8Array.of(2)), push(littleEndian(pointer, 8))]),
          ...parents.map((id) => concatBytes(push(Uint8Array.of(3)), push(bytesOfInscriptionId(id)))),
          Uint8Array.of(0),
          push(utf8(`plain ${this.salt++}`)),
          CLOSE,
        ),
      ),
    )
  }

  private envelope(context: EnvelopeContext): Uint8Array {
    const { dice } = this
    const push = (bytes: Uint8Array) => this.push(bytes, context.isEvaluated)
    const parts: Uint8Array[] = [OPEN]
    for (const [tag, value] of this.fields(context)) {
      const isNumber = tag.length === 1 && tag[0]! > 0 && tag[0]! <= 16 && dice.chance(3)
      parts.push(isNumber ? Uint8Array.of(0x50 + tag[0]!) : push(tag))
      parts.push(dice.chance(1) ? Uint8Array.of(0x51 + dice.roll(16)) : push(value))
    }
    if (dice.chance(3)) parts.push(push(Uint8Array.of(7)))
    if (dice.chance(92)) parts.push(Uint8Array.of(0), ...this.body.map(push))
    if (!context.isEvaluated && dice.chance(2)) parts.push(Uint8Array.of(dice.pick([0x75, 0xac, 0x50])))
    return concatBytes(...parts, CLOSE)
  }

  /** The last body that `fields` chose, in chunks. */
  private body: Uint8Array[] = []

  private fields(context: EnvelopeContext): Field[] {
    const { dice } = this
    const fields: Field[] = []
    const add = (tag: number, value: Uint8Array) => fields.push([Uint8Array.of(tag), value])
    const maybe = (percent: number, tag: number, value: () => Uint8Array) => {
      if (dice.chance(percent)) add(tag, value())
      if (dice.chance(1)) add(tag, value())
    }
    maybe(85, 1, () => (dice.chance(2) ? NOT_UTF8 : dice.pick(CONTENT_TYPES)))
    maybe(20, 2, () => this.pointer(context.valueSats))
    for (let n = dice.chance(35) ? 1 + dice.roll(3) : 0; n > 0; n--)
      add(3, this.id(context.inside.length > 0 && dice.chance(75) ? context.inside : context.known))
    if (dice.chance(15)) for (const piece of this.pieces(this.metadata())) add(5, piece)
    maybe(10, 7, () => (dice.chance(10) ? NOT_UTF8 : utf8(dice.pick(['brc-20', 'tap', '', 'é']))))
    const text = utf8(dice.chance(2) ? `${this.salt++} `.repeat(800) : `random ${this.salt++}`)
    let content = dice.chance(10) ? new Uint8Array() : text
    if (dice.chance(15)) {
      const encoding = dice.chance(3) ? NOT_UTF8 : dice.pick(ENCODINGS)
      const name = new TextDecoder().decode(encoding)
      if (dice.chance(85) && name === 'br') content = new Uint8Array(brotliCompressSync(content))
      if (dice.chance(85) && name === 'gzip') content = new Uint8Array(gzipSync(content))
      add(9, encoding)
    }
    this.body = this.pieces(content)
    maybe(12, 11, () => this.id(context.known))
    maybe(3, 13, () => Uint8Array.of(dice.roll(256), 1))
    maybe(3, 15, () => utf8('note'))
    if (dice.chance(30)) for (const piece of this.pieces(this.propertiesOf(context))) add(17, piece)
    maybe(4, 19, () => utf8(dice.pick(['br', 'gzip', ''])))
    maybe(3, dice.pick([21, 99, 255]), () => Uint8Array.of(1))
    maybe(3, dice.pick([4, 22, 66, 254]), () => Uint8Array.of(9))
    if (dice.chance(3))
      fields.push([Uint8Array.of(dice.pick([1, 2, 3, 17, 22]), dice.roll(2)), utf8('long tag')])
    if (dice.chance(10)) fields.reverse()
    return fields
  }

  private pointer(valueSats: number): Uint8Array {
    const { dice } = this
    if (dice.chance(5)) return new Uint8Array()
    const value = dice.pick([
      0,
      1,
      546,
      valueSats - 1,
      valueSats,
      dice.roll(30_000),
      dice.roll(2 * valueSats + 1),
    ])
    const bytes = dice.chance(4) ? littleEndian(2 ** 53 - 1, 8) : littleEndian(Math.max(0, value), 8)
    if (dice.chance(3)) return new Uint8Array(8).fill(255)
    if (dice.chance(6)) return concatBytes(bytes, Uint8Array.of(dice.roll(2)))
    return dice.chance(50) ? bytes : bytes.slice(0, bytes.findLastIndex((byte) => byte !== 0) + 1)
  }

  private id(ids: readonly string[]): Uint8Array {
    const { dice } = this
    const bytes =
      ids.length > 0 && dice.chance(90)
        ? bytesOfInscriptionId(dice.pick(ids))
        : bytesOfInscriptionId(`${'ab'.repeat(32)}i${dice.roll(300)}`)
    if (dice.chance(3)) return concatBytes(bytes, new Uint8Array(1 + dice.roll(5)))
    return dice.chance(2) ? bytes.slice(0, 31) : bytes
  }

  private metadata(): Uint8Array {
    const { dice } = this
    return dice.pick([
      () => Uint8Array.of(0xa1, 0x61, 0x61, 1),
      () => new Uint8Array(700).fill(dice.roll(256)),
      () => Uint8Array.of(0xff),
      () => new Uint8Array(),
    ])()
  }

  private propertiesOf({ known }: EnvelopeContext): Uint8Array {
    const { dice } = this
    if (known.length === 0 || dice.chance(60)) return this.properties.make()
    const items = Array.from({ length: 1 + dice.roll(4) }, () => this.id(known))
    return concatBytes(
      Uint8Array.of(0xa1, 0x00, 0x80 | items.length),
      ...items.map((id) => concatBytes(Uint8Array.of(0xa1, 0x00, 0x58, id.length), id)),
    )
  }

  private pieces(bytes: Uint8Array): Uint8Array[] {
    const size = this.dice.pick([520, 520, 520, 64, 1 + this.dice.roll(300)])
    const pieces: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
    return bytes.length === 0 && this.dice.chance(50) ? [bytes] : pieces
  }

  /** Encodes a push, sometimes not in the shortest form. */
  private push(bytes: Uint8Array, isMinimal: boolean): Uint8Array {
    const { length } = bytes
    const form = isMinimal || this.dice.chance(95) ? 0 : 1 + this.dice.roll(3)
    if (form === 0 && length <= 75) return concatBytes(Uint8Array.of(length), bytes)
    if (form <= 1 && length <= 255) return concatBytes(Uint8Array.of(0x4c, length), bytes)
    if (form <= 2) return concatBytes(Uint8Array.of(0x4d, length & 255, length >> 8), bytes)
    return concatBytes(Uint8Array.of(0x4e), littleEndian(length, 4), bytes)
  }
}
