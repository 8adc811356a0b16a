import { WalletDeclined } from '@ordbook/sdk/errors.ts'
import type { CoinProof } from '@ordbook/sdk/payment-coins.ts'
import { useEffect, useState } from 'react'
import { itemsOf } from '../review/agreement.ts'
import { withContents } from '../review/extras.ts'
import { type ReviewInput, type ReviewModel, reviewModelOf, type SpentCoin } from '../review/model.ts'
import { Review } from '../review/review.tsx'
import { afterPaint } from '../state/after-paint.ts'
import { contentsOf } from './items.ts'
import { spentCoinsOf } from './own-coins.ts'
import { SeparateFirst } from './separate-first.ts'

interface Pending {
  input: ReviewInput
  model: ReviewModel
  coins: readonly SpentCoin[]
  confirm(): void
  refuse(error: Error): void
}

/** The mounted dialog and the reviews that wait for it. */
let show: ((pending: Pending) => void) | null = null
let waiting: (() => void)[] = []

/**
 * Shows what the PSBTs do and waits for confirmation. Throws WalletDeclined if the visitor declines, SeparateFirst if the visitor
 * separates a coin first, and Error if a payment coin holds an inscription.
 */
export async function review(input: ReviewInput, prove: CoinProof): Promise<void> {
  const model = reviewModelOf(input)
  const given = itemsOf(input.agreement).flatMap(({ goes, outpoint }) =>
    goes === 'arrives' ? [] : [outpoint],
  )
  const coins = await spentCoinsOf(
    model.transactions.map(({ effects }) => effects),
    new Set(given),
    prove,
  )
  while (!show) await new Promise<void>((resolve) => waiting.push(resolve))
  const showReview = show
  return new Promise((resolve, reject) => {
    showReview({ input, model, coins, confirm: resolve, refuse: reject })
  })
}

/** Dialog before every signature. Several actions can wait for review at the same time. */
export function ReviewDialog() {
  const [pending, setPending] = useState<readonly Pending[]>([])
  const [shown] = pending

  useEffect(() => {
    show = (each) => setPending((before) => [...before, each])
    for (const resume of waiting) resume()
    waiting = []
    return () => {
      show = null
    }
  }, [])
  if (!shown) return null
  const { input, model, coins } = shown
  const close = (act: () => void) => {
    setPending((before) => before.slice(1))
    act()
  }
  // The refusal opens the ticket again, after the review has gone.
  const end = (error: Error) => close(() => afterPaint(() => shown.refuse(error)))
  const readContents = async () => {
    const next = {
      ...input,
      agreement: withContents(input.agreement, await contentsOf(itemsOf(input.agreement))),
    }
    setPending((before) =>
      before.map((each) => (each === shown ? { ...each, input: next, model: reviewModelOf(next) } : each)),
    )
  }
  return (
    <Review
      key={model.transactions[0]?.request.psbtBase64}
      model={model}
      coins={coins}
      wallet={input.wallet}
      windows={input.windows}
      onSign={() => close(shown.confirm)}
      onCancel={() => end(new WalletDeclined('You did not sign.'))}
      onSeparate={({ inscriptionId }) => end(new SeparateFirst(inscriptionId))}
      onRetry={() => void readContents()}
    />
  )
}
