export const signIn = {
  title: "Sign in to Laurel",
  email: "E-mail",
  password: "Password",
  code: "Code from your authenticator app",
  codeHelp: "Six digits, or one of your recovery codes.",
  submit: "Sign in",
  wrong: "E-mail or password is wrong.",
  wrongCode: "This code is wrong or was used already.",
  tooMany: "Too many tries. Wait a moment, then try again.",
  missing: "Fill in this field.",
  forgotten: "Forgotten? An administrator can run: laurel user reset",
  other: "Sign in as somebody else",
};
