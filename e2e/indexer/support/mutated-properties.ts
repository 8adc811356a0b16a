import { concatBytes } from '@ordbook/bitcoin/bytes.ts'
import type { Dice } from './random-chain.ts'

export class PropertyMaker {
  private readonly dice: Dice

  constructor(dice: Dice) {
    this.dice = dice
  }

  /** Returns 1 to 520 bytes. */
  make(): Uint8Array {
    for (;;) {
      const bytes = this.mutated(this.properties())
      if (bytes.length > 0 && bytes.length <= 520) return bytes
    }
  }

  private properties(): Uint8Array {
    const { dice } = this
    const count = dice.roll(4)
    const isPacked = dice.chance(40)
    const fields: [Uint8Array, Uint8Array][] = []
    if (dice.chance(70))
      fields.push([
        this.key(0),
        dice.chance(8) ? this.anything(2) : this.list(count, () => this.item(isPacked && dice.chance(90))),
      ])
    if (dice.chance(70)) fields.push([this.key(1), dice.chance(8) ? this.anything(2) : this.attributes()])
    if (isPacked)
      fields.push([this.key(2), dice.chance(8) ? this.anything(2) : this.bytes(32 * count + this.slip())])
    return this.pairs(this.disturbed(fields))
  }

  private item(isPacked: boolean): Uint8Array {
    const { dice } = this
    const fields: [Uint8Array, Uint8Array][] = []
    if (!isPacked) fields.push([this.key(0), this.bytes(dice.pick([32, 33, 34, 36, 36, 32, 31, 37]))])
    else if (dice.chance(20)) fields.push([this.key(0), Uint8Array.of(0xf6)])
    if (dice.chance(40)) fields.push([this.key(1), this.attributes()])
    if (isPacked && dice.chance(50))
      fields.push([
        this.key(2),
        dice.chance(15) ? this.anything(1) : this.head(0, dice.pick([0, 1, 300, 2 ** 32 - 1])),
      ])
    return this.pairs(this.disturbed(fields))
  }

  private attributes(): Uint8Array {
    const { dice } = this
    const fields: [Uint8Array, Uint8Array][] = []
    if (dice.chance(70)) fields.push([this.key(0), dice.chance(15) ? this.anything(1) : this.text()])
    if (dice.chance(60)) {
      const traits = Array.from(
        { length: dice.roll(4) },
        () => [this.text(), dice.chance(15) ? this.anything(1) : this.scalar()] as [Uint8Array, Uint8Array],
      )
      fields.push([this.key(1), this.pairs(traits, 4)])
    }
    return this.pairs(this.disturbed(fields))
  }

  private disturbed(fields: [Uint8Array, Uint8Array][]): [Uint8Array, Uint8Array][] {
    const { dice } = this
    const all = [...fields]
    if (all.length > 0 && dice.chance(8)) all.push(dice.pick(all))
    if (dice.chance(10))
      all.splice(dice.roll(all.length + 1), 0, [this.key(3 + dice.roll(300)), this.anything(3)])
    if (dice.chance(5)) all.push([this.anything(1), this.anything(1)])
    return dice.chance(15) ? all.reverse() : all
  }

  private pairs(pairs: readonly [Uint8Array, Uint8Array][], indefinitePercent = 12): Uint8Array {
    const body = concatBytes(...pairs.flat())
    if (this.dice.chance(indefinitePercent))
      return concatBytes(Uint8Array.of(0xbf), body, Uint8Array.of(0xff))
    return concatBytes(this.head(5, Math.max(0, pairs.length + this.slip())), body)
  }

  private list(count: number, make: () => Uint8Array): Uint8Array {
    const body = concatBytes(...Array.from({ length: count }, make))
    if (this.dice.chance(12)) return concatBytes(Uint8Array.of(0x9f), body, Uint8Array.of(0xff))
    return concatBytes(this.head(4, Math.max(0, count + this.slip())), body)
  }

  /** Returns an error to add to a length: usually 0. */
  private slip(): number {
    return this.dice.chance(4) ? this.dice.roll(3) - 1 : 0
  }

  private key(key: number): Uint8Array {
    const { dice } = this
    if (dice.chance(3)) return this.anything(1)
    return this.head(0, key, dice.chance(6))
  }

  private text(): Uint8Array {
    const { dice } = this
    const texts = [
      '',
      'a',
      'Hat',
      'ä€𝄞',
      'constructor',
      '__proto__',
      '1',
      '01',
      'x'.repeat(30),
      '\0',
      '\ufeffb',
    ]
    const body = dice.chance(5) ? Uint8Array.of(0xc3, 0x28) : new TextEncoder().encode(dice.pick(texts))
    if (dice.chance(4))
      return concatBytes(Uint8Array.of(0x7f), this.head(3, body.length), body, Uint8Array.of(0xff))
    return concatBytes(this.head(3, body.length, dice.chance(5)), body)
  }

  private bytes(length: number): Uint8Array {
    const { dice } = this
    const body = Uint8Array.from({ length: Math.max(0, length) }, () =>
      dice.chance(20) ? 0 : dice.roll(256),
    )
    if (dice.chance(4))
      return concatBytes(Uint8Array.of(0x5f), this.head(2, body.length), body, Uint8Array.of(0xff))
    return concatBytes(this.head(2, body.length, dice.chance(5)), body)
  }

  private scalar(): Uint8Array {
    const { dice } = this
    if (dice.chance(30)) return this.text()
    return dice.pick([
      Uint8Array.of(0xf4),
      Uint8Array.of(0xf5),
      Uint8Array.of(0xf6),
      Uint8Array.of(0xf7),
      Uint8Array.of(0xf9, 0x3c, 0),
      Uint8Array.of(0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0),
      Uint8Array.of(0x1b, 0x7f, 255, 255, 255, 255, 255, 255, 255),
      Uint8Array.of(0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0),
      Uint8Array.of(0x3b, 0x7f, 255, 255, 255, 255, 255, 255, 255),
      Uint8Array.of(0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0),
      this.head(0, dice.roll(70_000)),
      this.head(1, dice.roll(70_000)),
      Uint8Array.of(0xc2, 0x41, 5),
    ])
  }

  /** Returns any value, nested at most `depth` deep. */
  private anything(depth: number): Uint8Array {
    const { dice } = this
    const kind = dice.roll(depth > 0 ? 11 : 7)
    const inner = () => this.anything(depth - 1)
    if (kind < 2) return this.scalar()
    if (kind === 2) return this.text()
    if (kind === 3) return this.bytes(dice.roll(6))
    if (kind === 4) return Uint8Array.of(0xff)
    if (kind === 5) return Uint8Array.of(dice.roll(256))
    if (kind === 6) return this.head(0, dice.roll(10))
    if (kind === 7) return concatBytes(this.head(6, dice.roll(40)), inner())
    if (kind === 8) return this.list(dice.roll(4), inner)
    return this.pairs(Array.from({ length: dice.roll(3) }, () => [inner(), inner()]))
  }

  private mutated(bytes: Uint8Array): Uint8Array {
    const { dice } = this
    let result = bytes
    if (dice.chance(8)) result = concatBytes(result, this.anything(1))
    if (dice.chance(6)) result = result.slice(0, dice.roll(result.length + 1))
    if (dice.chance(12) && result.length > 0) {
      result = result.slice()
      result[dice.roll(result.length)] = dice.roll(256)
    }
    return result
  }

  private head(kind: number, value: number, isLong = false): Uint8Array {
    const first = kind << 5
    if (isLong || value > 0xffff)
      return Uint8Array.of(first | 26, value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)
    if (value < 24) return Uint8Array.of(first | value)
    return value < 256 ? Uint8Array.of(first | 24, value) : Uint8Array.of(first | 25, value >> 8, value & 255)
  }
}
