import { Link } from '@ordbook/web-ui/routing/routing.tsx'
import { frame as words } from '@ordbook/web-ui/strings/pages.ts'
import { StatusLine } from './status-line.tsx'

/** Market status and documents. The height does not change after loading. */
export function Footer() {
  return (
    <footer className="border-t border-line pb-[var(--tabs-height)]">
      <div className="mx-auto flex min-h-[72px] max-w-[1920px] flex-wrap content-center items-center gap-x-5 gap-y-3 px-4 py-4 text-small text-soft sm:px-5 lg:px-6">
        <StatusLine />
        <Link to="/how" className="hover:text-ink">
          {words.how}
        </Link>
        <a href="/docs" className="hover:text-ink">
          {words.api}
        </a>
      </div>
    </footer>
  )
}
