import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { Button, Empty } from '@ordbook/web-ui/ui/basics.tsx'

/** Prompt to connect a wallet. */
export function ConnectFirst({ title }: { title: string }) {
  const { choose } = useSession()
  return (
    <Empty title={title}>
      <Button kind="main" className="mt-3" onClick={() => choose(true)}>
        Connect wallet
      </Button>
    </Empty>
  )
}
