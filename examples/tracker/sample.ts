/** Rows for the first start. A reference names the row's place in its own collection's list. */
export const sample = {
  users: [
    { email: 'vera@example.org' },
    { email: 'max@example.org' },
    { email: 'mona@example.org' },
    { email: 'olga@example.org' },
  ],
  organisations: [
    { slug: 'acme', name: 'Acme' },
    { slug: 'bolt', name: 'Bolt' },
  ],
  memberships: [
    { name: 'Vera', organisation: 0, user: 0, role: 'viewer' },
    { name: 'Max', organisation: 0, user: 1, role: 'member' },
    { name: 'Mona', organisation: 0, user: 2, role: 'manager' },
    { name: 'Olga', organisation: 1, user: 3, role: 'manager' },
  ],
  projects: [
    { name: 'Rocket', organisation: 0, budget: '250000.00' },
    { name: 'Bridge', organisation: 1 },
  ],
  labels: [
    { name: 'urgent', organisation: 0 },
    { name: 'design', organisation: 1 },
  ],
  tasks: [
    { title: 'Build the engine', project: 0, number: 1, due: '2027-03-01', assignee: 1, labels: [0] },
    { title: 'Paint the hull', project: 0, number: 2, status: 'in review' },
    { title: 'Count the bolts', project: 1, number: 1, assignee: 3, labels: [1] },
  ],
  comments: [
    { text: 'Which fuel?', task: 0, author: 2 },
    { text: 'Twelve thousand.', task: 2, author: 3 },
  ],
  entries: [
    { day: '2026-11-02', hours: '3.50', task: 0, author: 1 },
    { day: '2026-11-03', hours: '2.00', task: 0, author: 1, note: 'Test run' },
    { day: '2026-11-03', hours: '7.25', task: 2, author: 3 },
  ],
}
