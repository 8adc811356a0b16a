/** Text of the bell, which every page loads. */
export const bell = {
  notifications: 'Notifications',
  unread: (count: number) => (count === 0 ? '' : `, ${count} unread`),
} as const
