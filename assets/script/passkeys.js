/** Passkeys: registering one, and signing in with one. */

/** Registers a passkey with the authenticator, and sends its response with the form. */
export function registerPasskey(form) {
  sendPasskey(form, async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      JSON.parse(form.dataset.passkeyOptions),
    )
    return navigator.credentials.create({ publicKey })
  })
}

/** Asks the authenticator for a passkey, and signs in with its response. */
export function usePasskey(form) {
  sendPasskey(form, async () => {
    const response = await fetch(form.dataset.passkey, { headers: { accept: 'application/json' } })
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await response.json())
    return navigator.credentials.get({ publicKey })
  })
}

/** Shows the button where the browser has passkeys. The person may cancel, and try again. */
function sendPasskey(form, obtain) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  const button = form.querySelector('button')
  button.hidden = false
  button.addEventListener('click', async (event) => {
    event.preventDefault()
    const passkey = await obtain().catch(() => undefined)
    if (!passkey) return
    form.elements.response.value = JSON.stringify(passkey)
    form.submit()
  })
}
