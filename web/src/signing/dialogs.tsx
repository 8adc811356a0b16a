import { ByHand } from '../wallet/by-hand-dialog.tsx'
import { ReviewDialog } from './review.tsx'

/** The dialogs of signing: the review, and the exchange with a wallet outside of the browser. */
export default function SigningDialogs() {
  return (
    <>
      <ReviewDialog />
      <ByHand />
    </>
  )
}
