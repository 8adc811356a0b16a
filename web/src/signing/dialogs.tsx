import { ByHand } from '../wallet/by-hand-dialog.tsx'
import { ReviewDialog } from './review.tsx'

/** The dialogs of signing: what is signed, and where a wallet outside of the browser gets it. */
export default function SigningDialogs() {
  return (
    <>
      <ReviewDialog />
      <ByHand />
    </>
  )
}
