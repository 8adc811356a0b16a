/** Why a coin cannot pay, of one coin and of several. */
const REASONS = {
  inscribed: ['holds an inscription', 'hold inscriptions'],
  rare: ['holds a rare sat', 'hold rare sats'],
  carrying: ['holds an inscription or a rune', 'hold inscriptions or runes'],
  claimed: ['is in use by another trade', 'are in use by other trades'],
  spent: ['is spent or unknown', 'are spent or unknown'],
  foreign: ['is not of the payment address', 'are not of the payment address'],
  misstated: ['is not of the value that the request names', 'are not of the values that the request names'],
  immature: ['is of a coinbase that is not mature', 'are of coinbases that are not mature'],
  unread: [
    'is in a block that the market has not read yet',
    'are in blocks that the market has not read yet',
  ],
  unconfirmed: [
    'is unconfirmed and not change of a trade made here',
    'are unconfirmed and not change of trades made here',
  ],
  unblocked: [
    'is unconfirmed, and this trade takes coins of a block alone',
    'are unconfirmed, and this trade takes coins of a block alone',
  ],
} as const satisfies Record<string, readonly [string, string]>

export type PassedOverReason = keyof typeof REASONS

/** Counts coins that cannot pay, by their reason. */
export class PassedOver {
  private readonly counts = new Map<PassedOverReason, number>()

  add(reason: PassedOverReason): void {
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + 1)
  }

  get count(): number {
    return [...this.counts.values()].reduce((sum, each) => sum + each, 0)
  }

  /** The applicable reasons as text; empty if no coin was skipped. */
  text(): string {
    if (this.counts.size === 0) return ''
    const parts = [...this.counts].map(
      ([reason, count]) => `${count} ${REASONS[reason][count === 1 ? 0 : 1]}`,
    )
    return ` (${this.count === 1 ? '1 coin was' : `${this.count} coins were`} passed over: ${parts.join(', ')})`
  }
}
