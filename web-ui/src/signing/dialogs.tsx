import { ByHand } from '../wallet/by-hand-dialog.tsx'
import { StillWaiting } from '../wallet/still-waiting.tsx'
import { ReviewDialog } from './review.tsx'
import { UnsentExit } from './unsent-exit.tsx'

/** The dialogs of signing: the review, the exchange with a wallet outside of the browser, and the wait for one inside. */
export default function SigningDialogs() {
  return (
    <>
      <ReviewDialog />
      <ByHand />
      <StillWaiting />
      <UnsentExit />
    </>
  )
}
