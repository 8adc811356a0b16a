import { ByHand } from '../wallet/by-hand-dialog.tsx'
import { StillWaiting } from '../wallet/still-waiting.tsx'
import { ReviewDialog } from './review.tsx'
import { UnsentExit } from './unsent-exit.tsx'

/** Dialogs used for signing: the review, wallets outside the browser, late wallets and unsent exits. */
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
