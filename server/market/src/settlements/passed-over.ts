/** In singular and plural. */
const REASONS = {
  inscribed: ['contains an inscription', 'contain inscriptions'],
  rare: ['contains a rare sat', 'contain rare sats'],
  carrying: ['contains an inscription or a rune', 'contain inscriptions or runes'],
  unproven: ['may contain runes', 'may contain runes'],
  claimed: ['is in use by another trade', 'are in use by other trades'],
  spent: ['is spent or unknown', 'are spent or unknown'],
  foreign: ['is not at the payment address', 'are not at the payment address'],
  misstated: ['has another value than in the request', 'have other values than in the request'],
  immature: ['is an immature coinbase output', 'are immature coinbase outputs'],
  unread: [
    'is in a block that the market has not indexed yet',
    'are in blocks that the market has not indexed yet',
  ],
  unconfirmed: [
    'is unconfirmed and not change of a trade on this market',
    'are unconfirmed and not change of trades on this market',
  ],
  unblocked: [
    'is unconfirmed, and this trade requires confirmed coins',
    'are unconfirmed, and this trade requires confirmed coins',
  ],
} as const satisfies Record<string, readonly [string, string]>

export type PassedOverReason = keyof typeof REASONS

export class PassedOver {
  private readonly counts = new Map<PassedOverReason, number>()

  add(reason: PassedOverReason): void {
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + 1)
  }

  get count(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Returns the counts and reasons as text. */
  text(): string {
    if (this.counts.size === 0) return ''
    const parts = [...this.counts].map(
      ([reason, count]) => `${count} ${REASONS[reason][count === 1 ? 0 : 1]}`,
    )
    return ` (${this.count === 1 ? '1 coin was' : `${this.count} coins were`} skipped: ${parts.join(', ')})`
  }
}
