import { ActivityList } from './activity-list.tsx'

/** The activity of the whole market. */
export default function ActivityPage() {
  return (
    <div className="grid gap-5">
      <h1 className="text-2xl font-semibold">Activity</h1>
      <ActivityList about={{}} />
    </div>
  )
}
