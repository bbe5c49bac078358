/** The audit: a document and a page for administrators, and a command that verifies it. */

export const audit = {
  name: 'audit',
  commands: { audit: async () => (await import('./audit-command.ts')).audit },
  load: async () => (await import('./parts.ts')).auditParts,
}
