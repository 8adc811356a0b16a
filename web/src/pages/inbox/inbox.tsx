import { useSession } from '@ordbook/web-ui/session/session.tsx'
import { bell } from '@ordbook/web-ui/strings/inbox/bell.ts'
import { inbox as words } from '@ordbook/web-ui/strings/inbox/inbox.ts'
import { Loading } from '@ordbook/web-ui/ui/basics.tsx'
import { InboxList, MarkAllRead } from '../../inbox/inbox-list.tsx'
import { ConnectFirst } from '../parts/connect-first.tsx'

export default function InboxPage() {
  const { account } = useSession()
  return (
    <div className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-5">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h1 className="text-h1">{bell.notifications}</h1>
          <p className="mt-1 text-soft">{words.kept}</p>
        </div>
        {account && <MarkAllRead />}
      </header>
      {account ? (
        <div className="panel overflow-hidden">
          <InboxList isWhole />
        </div>
      ) : account === null ? (
        <ConnectFirst title={words.connect} />
      ) : (
        <Loading />
      )}
    </div>
  )
}
