export const signIn = {
  title: "Bei Laurel anmelden",
  email: "E-Mail",
  password: "Passwort",
  code: "Code aus Ihrer Authenticator-App",
  codeHelp: "Sechs Ziffern, oder einer Ihrer Wiederherstellungscodes.",
  submit: "Anmelden",
  wrong: "E-Mail oder Passwort ist falsch.",
  wrongCode: "Dieser Code ist falsch oder wurde schon benutzt.",
  tooMany: "Zu viele Versuche. Warten Sie einen Moment und versuchen Sie es noch einmal.",
  missing: "Füllen Sie dieses Feld aus.",
  forgotten: "Vergessen? Ein Administrator kann ausführen: laurel user reset",
  other: "Als jemand anders anmelden",
};
