/** Enhancements of the HTML pages. Every page works without them, and they are independent. */

import { editOnDoubleClick } from './cells.js'
import { addConsole } from './console.js'
import { addCopyButton } from './display.js'
import { dropDraftsOnSubmit, dropSavedDraft, keepDraft } from './drafts.js'
import { countInPlace, enhancePart } from './lists.js'
import { followChanges, keepCurrent } from './live.js'
import { registerPasskey, usePasskey } from './passkeys.js'
import { openPeek } from './peek.js'
import { enhancePicker } from './picker.js'
import { useShortcut } from './shortcuts.js'
import { showSwitch } from './switches.js'
import { editLocally, filterLocally } from './times.js'
import { acceptDrops, showProgress } from './uploads.js'
import { countCharacters, validateFirst } from './validation.js'
import { offerViews } from './views.js'

for (const part of document.querySelectorAll('[data-live]')) keepCurrent(part)
for (const part of document.querySelectorAll('[data-changes]')) followChanges(part)
enhancePart(document)
for (const snippet of document.querySelectorAll('.snippet')) addCopyButton(snippet)
for (const root of document.querySelectorAll('[data-picker]')) enhancePicker(root)
for (const example of document.querySelectorAll('.example[data-target]')) addConsole(example)
for (const link of document.querySelectorAll('a[data-count]')) countInPlace(link)
for (const tools of document.querySelectorAll('.list-tools')) offerViews(tools)
// Problems are English in JSON, so other pages leave them to the service, which shows the form again.
const english = 'html[lang="en"]'
for (const form of document.querySelectorAll(`${english} form[data-validate]`)) validateFirst(form)
for (const input of document.querySelectorAll('input[type="file"]')) acceptDrops(input)
// The faults of an import are on a page of their own, and its file is small.
for (const form of document.querySelectorAll(`${english} form[enctype="multipart/form-data"]:not(.import)`))
  showProgress(form)
for (const form of document.querySelectorAll('form[data-passkey-options]')) registerPasskey(form)
for (const form of document.querySelectorAll('form[data-passkey]')) usePasskey(form)
for (const input of document.querySelectorAll('.field [maxlength]:not([type="password"])'))
  countCharacters(input)
for (const select of document.querySelectorAll('select[data-switch]')) showSwitch(select)
for (const input of document.querySelectorAll('.field [type="datetime-local"]')) editLocally(input)
for (const input of document.querySelectorAll('input[data-instant]')) filterLocally(input)
for (const form of document.querySelectorAll('form[action$="/sign-out"]')) dropDraftsOnSubmit(form)
dropSavedDraft()
for (const form of document.querySelectorAll('form[data-draft]')) keepDraft(form)

document.addEventListener('keydown', useShortcut)
document.addEventListener('dblclick', editOnDoubleClick)
document.addEventListener('click', ({ target }) => {
  if (target.matches('button.peek')) openPeek(target.closest('tr'))
})
