import { WalletDeclined } from '@ordbook/sdk/errors.ts'
import type { CoinProof } from '@ordbook/sdk/payment-coins.ts'
import { useEffect, useState } from 'react'
import { itemsOf } from '../review/agreement.ts'
import { type ReviewInput, type ReviewModel, reviewModelOf, type SpentCoin } from '../review/model.ts'
import { Review } from '../review/review.tsx'
import { spentCoinsOf } from './own-coins.ts'

interface Pending extends Pick<ReviewInput, 'wallet'> {
  model: ReviewModel
  coins: readonly SpentCoin[]
  confirm(): void
  refuse(error: Error): void
}

/** The mounted dialog and the reviews that wait for it. */
let show: ((pending: Pending) => void) | null = null
let waiting: (() => void)[] = []

/**
 * Shows what the PSBTs do and waits for confirmation. Throws WalletDeclined if the visitor declines, and Error if a payment coin holds an
 * inscription.
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
    showReview({ wallet: input.wallet, model, coins, confirm: resolve, refuse: reject })
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
  const close = (act: () => void) => {
    setPending((before) => before.slice(1))
    act()
  }
  return (
    <Review
      key={shown.model.transactions[0]?.request.psbtBase64}
      {...shown}
      onSign={() => close(shown.confirm)}
      onCancel={() => close(() => shown.refuse(new WalletDeclined('You did not sign.')))}
    />
  )
}
